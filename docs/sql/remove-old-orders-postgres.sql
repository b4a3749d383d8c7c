-- On PostgreSQL: removes the orders for which nothing was recorded in seven years. Edit the three constants, and for a
-- large table `pages_per_range`.
-- New events fill the pages of removed ones. With minmax_multi_ops, the index still skips these pages: after one of
-- five years was removed, a window read 32 pages instead of 18,048. PostgreSQL 13 lacks this operator class. Leave it
-- out there, and send REINDEX INDEX CONCURRENTLY ix_shop_event_recorded before each run.
-- Each window reads the whole index. For 500 million events or more, set pages_per_range = 1024: docs/dba.md has the
-- figures.
-- With partitions, remove this statement, and run docs/scaling/brin-index.sql instead: PostgreSQL refuses CONCURRENTLY
-- there, and without it every record() waits.
create index concurrently if not exists ix_shop_event_recorded
  on shipping_order_event using brin (recorded_at timestamptz_minmax_multi_ops) with (pages_per_range = 32);

-- Without statistics, as after a restore, each window would read the whole table.
analyze shipping_order_event;

-- Each window commits by itself, so you can stop the block at any time.
do $$
declare
  keep_since constant timestamptz := now() - interval '7 years';
  -- At first, and after a restore: the time of the oldest event. Later: the last time that the run before printed.
  first_time constant timestamptz := timestamptz '2018-01-01';
  -- The time in which some thousand events are recorded, or 45,000 with 1024: an hour, at two billion in five years.
  step constant interval := '1 hour';
  from_time timestamptz := first_time;
  to_time timestamptz;
begin
  if not (select indisvalid from pg_index where indexrelid = 'ix_shop_event_recorded'::regclass) then
    raise exception 'The index ix_shop_event_recorded is not valid, because its build was cancelled, or because a partition has no index of its own. Drop it and build it again.';
  end if;
  -- Otherwise each window reads all pages that are new since the last vacuum.
  perform brin_summarize_new_values(oid) from pg_class
  where relname like 'ix_shop_event_recorded%' and relkind = 'i' and pg_table_is_visible(oid);
  commit;
  while from_time < keep_since loop
    to_time := least(from_time + step, keep_since);
    with old as materialized (
      select distinct project_id, order_id from shipping_order_event
      where recorded_at >= from_time and recorded_at < to_time
    ), done as materialized (
      select * from old where not exists (
        select from shipping_order_event newer
        where newer.project_id = old.project_id and newer.order_id = old.order_id and newer.recorded_at >= keep_since
      )
    )
    delete from shipping_order_event event using done
    where event.project_id = done.project_id and event.order_id = done.order_id;
    commit;
    raise notice 'done before %', to_time;
    from_time := to_time;
  end loop;
end $$;
