-- On PostgreSQL: brings one tenant back from copies of our tables in the schema `backup`.
begin;
insert into shipping_project select * from backup.shipping_project where project_id = 'acme' on conflict do nothing;
-- This locks the project. The new revision tells each process that its memory is old.
update shipping_project set revision = gen_random_uuid() where project_id = 'acme';
delete from shipping_method where project_id = 'acme';
insert into shipping_method select * from backup.shipping_method where project_id = 'acme';
delete from shipping_order_event where project_id = 'acme';
insert into shipping_order_event overriding system value
  select * from backup.shipping_order_event where project_id = 'acme';
commit;
