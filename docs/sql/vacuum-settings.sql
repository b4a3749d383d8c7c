-- On PostgreSQL: vacuums and freezes the table in small portions, after each hundredth of new or removed rows. On hash
-- partitions, run it for each part: shipping_order_event_0 and so on.
alter table shipping_order_event set (
  autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_freeze_min_age = 0
);
