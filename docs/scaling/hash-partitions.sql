-- Run it as the owner of the tables and the database, after our migrations. It is one transaction: an error leaves
-- everything as it was.
begin;
set local lock_timeout = '10s';
alter table shipping_project rename to shipping_project_before;
alter table shipping_method rename to shipping_method_before;
alter table shipping_order_event rename to shipping_order_event_before;

create table shipping_project (like shipping_project_before) partition by hash (project_id);
create table shipping_method (like shipping_method_before including constraints) partition by hash (project_id);
create table shipping_order_event (like shipping_order_event_before) partition by hash (project_id);

do $$
declare
  name text;
  part int;
begin
  foreach name in array array['shipping_project', 'shipping_method', 'shipping_order_event'] loop
    for part in 0..7 loop
      execute format('create table %s_%s partition of %s for values with (modulus 8, remainder %s)',
        name, part, name, part);
    end loop;
    execute format('insert into %s select * from %s_before', name, name);
  end loop;
  -- PostgreSQL then joins each part of one table only with the same part of the other.
  execute format('alter database %I set enable_partitionwise_join = on', current_database());
end $$;

-- The sequence begins with the next number of the identity column. Its largest number would take a read of all events.
create sequence shipping_order_event_seq owned by shipping_order_event.seq;
select setval('shipping_order_event_seq',
  nextval(pg_get_serial_sequence('shipping_order_event_before', 'seq')), false);
alter table shipping_order_event alter seq set default nextval('shipping_order_event_seq');

drop table shipping_project_before, shipping_method_before, shipping_order_event_before;
alter table shipping_project add constraint pk_shipping_project primary key (project_id);
alter table shipping_method
  add constraint pk_shipping_method primary key (project_id, id),
  add constraint uq_shipping_method_codes unique (project_id, carrier_code, method_code);
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
