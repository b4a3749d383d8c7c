-- On PostgreSQL: removes the orders for which nothing was recorded in seven years. Edit the three constants.
-- New events fill the pages of removed ones. With minmax_multi_ops, the index still skips these pages: after one of five
-- years was removed, a window read 32 pages instead of 18,048. PostgreSQL 13 lacks this class: leave it
-- out there, and send REINDEX INDEX CONCURRENTLY ix_shop_event_recorded before each run.
-- With partitions, remove this statement, and run docs/scaling/brin-index.sql instead: PostgreSQL refuses CONCURRENTLY
-- there, and without it every record() waits.
create index concurrently if not exists ix_shop_event_recorded
  on shipping_order_event using brin (recorded_at timestamptz_minmax_multi_ops) with (pages_per_range = 32);

-- Each window commits by itself, so you can stop the block and start it again at the same or a later time.
do $$
declare
  keep_since constant timestamptz := now() - interval '7 years';
  first_time constant timestamptz := timestamptz '2018-01-01';
  -- So long that it has some thousand events: two billion events in five years are 45,000 an hour, so 5 minutes.
  step constant interval := '1 hour';
  from_time timestamptz := first_time;
begin
  while from_time < keep_since loop
    with old as materialized (
      select distinct project_id, order_id from shipping_order_event
      where recorded_at >= from_time and recorded_at < least(from_time + step, keep_since)
    ), done as materialized (
      select * from old where not exists (
        select from shipping_order_event newer
        where newer.project_id = old.project_id and newer.order_id = old.order_id and newer.recorded_at >= keep_since
      )
    )
    delete from shipping_order_event event using done
    where event.project_id = done.project_id and event.order_id = done.order_id;
    commit;
    from_time := from_time + step;
  end loop;
end $$;
