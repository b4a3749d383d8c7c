-- All rights that the role of the application needs. With hash partitions, docs/scaling/hash-partitions-rights.sql has one
-- more. Run it as the owner of the tables, and the first line as the owner of the schema: another role gets only a
-- warning. If you use row-level-security.sql, send its REVOKE and its GRANT again after this file, which allows UPDATE of
-- all columns.
grant usage on schema public to shop_app;
grant select, insert, update, delete on shipping_method to shop_app;
grant select, insert, update on shipping_project to shop_app;
grant select, insert, delete on shipping_order_event to shop_app;
-- Only redactHistory needs this one.
grant update (message, data, actor) on shipping_order_event to shop_app;
