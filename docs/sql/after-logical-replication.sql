-- On the new primary, before it takes writes. The number is the last one of the old primary:
-- select last_value from shipping_order_event_seq_seq
select setval(pg_get_serial_sequence('shipping_order_event', 'seq'), 2000016);
