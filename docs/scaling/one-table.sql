-- The way back from hash partitions, with all rows.
begin;
set local lock_timeout = '10s';
-- With FORCE ROW LEVEL SECURITY, the copy would lose each event that the owner may not see. So it fails instead.
set local row_security = off;
alter table shipping_order_event rename to shipping_order_event_before;
create table shipping_order_event (like shipping_order_event_before);
insert into shipping_order_event select * from shipping_order_event_before;
-- The identity column begins with the next number of the sequence.
alter table shipping_order_event alter seq add generated always as identity;
select setval(pg_get_serial_sequence('shipping_order_event', 'seq'), nextval('shipping_order_event_seq'), false);

drop table shipping_order_event_before;
alter table shipping_order_event
  add constraint pk_shipping_order_event primary key (project_id, order_id, occurred_at, seq);
create unique index uq_shipping_order_event_dedupe_key
  on shipping_order_event (project_id, order_id, dedupe_key) where dedupe_key is not null;
commit;
