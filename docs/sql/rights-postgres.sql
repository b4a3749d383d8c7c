-- All rights that the role of the application needs. Run it as the owner of the tables. If you use
-- row-level-security.sql, send the REVOKE and the GRANT at its end again after this file, which allows UPDATE of all columns.
grant usage on schema public to shop_app;
grant select, insert, update, delete on shipping_method to shop_app;
grant select, insert, update on shipping_project to shop_app;
grant select, insert, delete on shipping_order_event to shop_app;
-- Only redactHistory needs this one.
grant update (message, data, actor) on shipping_order_event to shop_app;
