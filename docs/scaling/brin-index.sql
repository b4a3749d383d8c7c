-- On hash partitions: the index of remove-old-orders-postgres.sql, built while others write. Run it with psql, which runs
-- each statement that the last query returns (\gexec). For 500 million events or more, write 1024 in place of 32. On
-- PostgreSQL 13, leave timestamptz_minmax_multi_ops out.
create index ix_shop_event_recorded on only shipping_order_event
  using brin (recorded_at timestamptz_minmax_multi_ops) with (pages_per_range = 32);
select
  format('create index concurrently ix_shop_event_recorded_%s on shipping_order_event_%1$s
    using brin (recorded_at timestamptz_minmax_multi_ops) with (pages_per_range = 32)', part) as build,
  format('alter index ix_shop_event_recorded attach partition ix_shop_event_recorded_%s', part) as attach
from pg_inherits, substring(inhrelid::regclass::text from '\d+$') as part
where inhparent = 'shipping_order_event'::regclass \gexec
