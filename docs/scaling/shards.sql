-- Run it on the front, as a superuser, or as the owner of the tables and the database who may create servers. Each shard
-- must have the tables of our migrations and hash-partitions.sql, and no rows.
begin;
set local lock_timeout = '10s';
create extension if not exists postgres_fdw;
create server shipping_shard_0 foreign data wrapper postgres_fdw
  options (host 'shard0.example', port '5432', dbname 'shipping');
create server shipping_shard_1 foreign data wrapper postgres_fdw
  options (host 'shard1.example', port '5432', dbname 'shipping');

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
  for part in 0..1 loop
    -- A lost shard must respond with an error before your statement_timeout ends the statement.
    execute format('alter server shipping_shard_%s options (add connect_timeout ''2'', add tcp_user_timeout ''2000'',
      add keepalives_idle ''10'', add keepalives_interval ''5'', add keepalives_count ''3'',
      add options ''-c lock_timeout=3000 -c idle_in_transaction_session_timeout=5000'',
      add fetch_size ''1000'', add batch_size ''1000'')', part);
    execute format('create user mapping for current_user server shipping_shard_%s
      options (user ''shop'', password ''secret'')', part);
  end loop;
  -- A shard joins a project with its methods. Otherwise the front would read all methods of a part.
  execute format('alter database %I set enable_partitionwise_join = on', current_database());
  foreach name in array array['shipping_project', 'shipping_method', 'shipping_order_event'] loop
    for part in 0..7 loop
      -- Every look-up reads the revision of the defaults project, so its part stays on the front.
      if satisfies_hash_partition(name::regclass, 8, part, 'default'::varchar) then
        execute format('create table %s_front partition of %s for values with (modulus 8, remainder %s)',
          name, name, part);
      else
        execute format('create foreign table %s_%s partition of %s for values with (modulus 8, remainder %s)
          server shipping_shard_%s options (table_name ''%s_%s'')', name, part, name, part, part % 2, name, part);
      end if;
    end loop;
    execute format('insert into %s select * from %s_before', name, name);
  end loop;
end $$;

-- The front numbers the events of all shards.
create sequence shipping_order_event_seq owned by shipping_order_event.seq;
select setval('shipping_order_event_seq', coalesce(max(seq), 0) + 1, false) from shipping_order_event_before;
alter table shipping_order_event alter seq set default nextval('shipping_order_event_seq');

drop table shipping_project_before, shipping_method_before, shipping_order_event_before;
alter table shipping_project_front add constraint pk_shipping_project primary key (project_id);
alter table shipping_method_front
  add constraint pk_shipping_method primary key (project_id, id),
  add constraint uq_shipping_method_codes unique (project_id, carrier_code, method_code);
alter table shipping_order_event_front
  add constraint pk_shipping_order_event primary key (project_id, order_id, occurred_at, seq);
create unique index uq_shipping_order_event_dedupe_key
  on shipping_order_event_front (project_id, order_id, dedupe_key) where dedupe_key is not null;
commit;
