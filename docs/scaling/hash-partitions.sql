-- Run it as the owner of the table, after our migrations. It is one transaction: an error leaves everything as it was.
begin;
set local lock_timeout = '10s';
-- With FORCE ROW LEVEL SECURITY, the copy would lose each event that the owner may not see. So it fails instead.
set local row_security = off;
alter table shipping_order_event rename to shipping_order_event_before;
create table shipping_order_event (like shipping_order_event_before) partition by hash (project_id);
-- Another number of parts needs a change of both lines, and of the last block.
do $$
begin
  for part in 0..7 loop
    execute format('create table shipping_order_event_%s partition of shipping_order_event
      for values with (modulus 8, remainder %s)', part, part);
  end loop;
end $$;
insert into shipping_order_event select * from shipping_order_event_before;

-- The sequence begins with the next number of the identity column. Its largest number would take a read of all events.
create sequence shipping_order_event_seq owned by shipping_order_event.seq;
select setval('shipping_order_event_seq',
  nextval(pg_get_serial_sequence('shipping_order_event_before', 'seq')), false);
alter table shipping_order_event alter seq set default nextval('shipping_order_event_seq');

drop table shipping_order_event_before;
alter table shipping_order_event
  add constraint pk_shipping_order_event primary key (project_id, order_id, occurred_at, seq);
create unique index uq_shipping_order_event_dedupe_key
  on shipping_order_event (project_id, order_id, dedupe_key) where dedupe_key is not null;
-- A `record()` that has lost a race knows this index by the end of its name.
do $$
begin
  for part in 0..7 loop
    execute format('alter index shipping_order_event_%s_project_id_order_id_dedupe_key_idx
      rename to shipping_order_event_%s_uq_shipping_order_event_dedupe_key', part, part);
  end loop;
end $$;
commit;
