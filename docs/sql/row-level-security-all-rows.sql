-- The role shop_app sees all rows of our tables.
create policy all_rows on shipping_method to shop_app using (true);
create policy all_rows on shipping_project to shop_app using (true);
create policy all_rows on shipping_order_event to shop_app using (true);
