-- On MariaDB and MySQL. Each statement copies its table, and calls that write wait until it ends.
alter table shipping_order_event partition by key (project_id) partitions 8;
-- Leave this one out if a foreign key of yours refers to shipping_method: these servers then refuse it.
alter table shipping_method partition by key (project_id) partitions 8;
