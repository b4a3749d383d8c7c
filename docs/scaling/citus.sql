-- Spreads our tables over the workers of Citus, with their rows: 32 shards by the hash of project_id, and the rows of a
-- project in the three tables beside each other. Run it with psql on the coordinator, as a superuser. Calls wait until it
-- ends. If your `defaultsProjectId` is another one than 'default', add `-v defaults=ID`.
\if :{?defaults} \else \set defaults default \endif
begin;
set local lock_timeout = '10s';
-- Citus would accept the key of a local table, and then refuse every row of this table.
do $$
begin
  if exists (select from pg_constraint where contype = 'f'
    and confrelid in ('shipping_project'::regclass, 'shipping_method'::regclass, 'shipping_order_event'::regclass))
  then raise 'Drop the foreign keys to our tables first.';
  end if;
end $$;
select create_distributed_table('shipping_project', 'project_id', shard_count => 32, colocate_with => 'none');
select create_distributed_table('shipping_method', 'project_id', colocate_with => 'shipping_project');
select create_distributed_table('shipping_order_event', 'project_id', colocate_with => 'shipping_project');
commit;

-- The old rows are still in the local tables, where nobody reads them.
select truncate_local_data_after_distributing_table(name)
from unnest(array['shipping_project', 'shipping_method', 'shipping_order_event']::regclass[]) as name;

-- Every look-up reads the revision of the defaults project. So it gets a shard of its own, which
-- citus-defaults.sql can move. If this fails, repeat it.
select isolate_tenant_to_new_shard('shipping_project', :'defaults'::text, 'CASCADE',
  shard_transfer_mode => 'block_writes');
analyze shipping_project, shipping_method, shipping_order_event;
