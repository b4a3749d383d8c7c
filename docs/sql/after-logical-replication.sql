-- Stop the writes, and ask the old primary for its last number: select last_value from shipping_order_event_seq_seq. On
-- hash partitions, the sequence is shipping_order_event_seq. Write the number in place of 2000016 on the new primary.
select setval(pg_get_serial_sequence('shipping_order_event', 'seq'), 2000016);
-- TypeORM numbers its migrations, too. Without this statement, the next migration fails.
select setval(pg_get_serial_sequence('migrations', 'id'), max(id)) from migrations;
