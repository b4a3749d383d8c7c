-- On hash partitions, the numbers of the events come from a sequence, for which the role needs a right.
grant usage on sequence shipping_order_event_seq to shop_app;
