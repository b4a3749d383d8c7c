-- All rights that the user of the application needs, on MariaDB and MySQL.
grant select, insert, update, delete on shop.shipping_method to shop_app;
grant select, insert, update on shop.shipping_project to shop_app;
grant select, insert, delete on shop.shipping_order_event to shop_app;
-- Only redactHistory needs this one.
grant update (message, data, actor) on shop.shipping_order_event to shop_app;
