-- On MariaDB and MySQL: brings one tenant back from copies of our tables in the database `backup`. Add columns of your own
-- to the lists.
-- At the default level, the deletes would lock the gaps to other tenants.
set transaction isolation level read committed;
start transaction;
-- This locks the project. The new revision tells each process that its memory is old.
insert into shipping_project (project_id, revision) values ('acme', uuid()) on duplicate key update revision = uuid();
delete from shipping_method where project_id = 'acme';
insert into shipping_method (project_id, id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order,
    meta, use_default, version, created_at, updated_at)
  select project_id, id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order,
    meta, use_default, version, created_at, updated_at
  from backup.shipping_method where project_id = 'acme';
delete from shipping_order_event where project_id = 'acme';
insert into shipping_order_event (project_id, order_id, occurred_at, seq, id, type, message, data, actor, dedupe_key,
    recorded_at)
  select project_id, order_id, occurred_at, seq, id, type, message, data, actor, dedupe_key, recorded_at
  from backup.shipping_order_event where project_id = 'acme';
commit;
