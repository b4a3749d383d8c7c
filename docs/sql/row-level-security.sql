-- The role shop_app sees the rows of the project in app.tenant. It may also read the defaults. Run it with psql, and not in
-- one transaction, which may deadlock with the application. If a statement waits for too long, psql stops: send this
-- statement and those after it again.
\set ON_ERROR_STOP on
set lock_timeout = '3s';
create policy of_tenant on shipping_method to shop_app using (project_id = current_setting('app.tenant', true));
create policy of_tenant on shipping_project to shop_app using (project_id = current_setting('app.tenant', true));
create policy of_tenant on shipping_order_event to shop_app using (project_id = current_setting('app.tenant', true));
create policy read_defaults on shipping_method for select to shop_app using (project_id = 'default');
create policy read_defaults on shipping_project for select to shop_app using (project_id = 'default');
-- `lock: true` locks the default, too, and PostgreSQL asks the policies of UPDATE. The check refuses a row that stays in
-- the defaults. The rights refuse to move it to the tenant, so send the REVOKE and the GRANT again after each run of
-- rights-postgres.sql. Add columns of your own, and those of later migrations.
create policy lock_defaults on shipping_method for update to shop_app using (project_id = 'default') with check (false);
revoke update on shipping_method from shop_app;
grant update (carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta, use_default, version,
  updated_at) on shipping_method to shop_app;
-- These come after the policies: a table without a policy would show the role no row.
alter table shipping_method enable row level security;
alter table shipping_project enable row level security;
alter table shipping_order_event enable row level security;
-- A statement outside of such a transaction fails, instead of finding no rows. The role may set this for itself.
alter role shop_app set row_security = off;
