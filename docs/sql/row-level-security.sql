-- The role shop_app sees the rows of the project in app.tenant. It may also read the defaults.
alter table shipping_method enable row level security;
alter table shipping_project enable row level security;
alter table shipping_order_event enable row level security;
create policy of_tenant on shipping_method to shop_app using (project_id = current_setting('app.tenant', true));
create policy of_tenant on shipping_project to shop_app using (project_id = current_setting('app.tenant', true));
create policy of_tenant on shipping_order_event to shop_app using (project_id = current_setting('app.tenant', true));
create policy read_defaults on shipping_method for select to shop_app using (project_id = 'default');
create policy read_defaults on shipping_project for select to shop_app using (project_id = 'default');
-- `lock: true` locks the default, too, and PostgreSQL asks the policies of UPDATE. The check refuses each change.
create policy lock_defaults on shipping_method for update to shop_app using (project_id = 'default') with check (false);
-- A statement outside of such a transaction fails, instead of finding no rows.
alter role shop_app set row_security = off;
