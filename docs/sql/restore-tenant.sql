-- On PostgreSQL: brings one tenant back from copies of our tables in the schema `backup`. Add columns of your own to the
-- lists.
begin;
-- This locks the project. The new revision tells each process that its memory is old.
insert into shipping_project (project_id, revision) values ('acme', gen_random_uuid())
  on conflict (project_id) do update set revision = excluded.revision;
delete from shipping_method where project_id = 'acme';
insert into shipping_method (project_id, id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order,
    meta, use_default, version, created_at, updated_at)
  select project_id, id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order,
    meta, use_default, version, created_at, updated_at
  from backup.shipping_method where project_id = 'acme';
delete from shipping_order_event where project_id = 'acme';
insert into shipping_order_event (project_id, order_id, occurred_at, seq, id, type, message, data, actor, dedupe_key,
    recorded_at)
  overriding system value
  select project_id, order_id, occurred_at, seq, id, type, message, data, actor, dedupe_key, recorded_at
  from backup.shipping_order_event where project_id = 'acme';
commit;
