-- On MariaDB and MySQL. It copies the table, and calls that write wait until it ends. The way back copies it, too:
-- alter table shipping_order_event remove partitioning
alter table shipping_order_event partition by key (project_id) partitions 8;
