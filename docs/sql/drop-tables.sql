drop table if exists shipping_method;
drop table if exists shipping_project;
drop table if exists shipping_order_event;
delete from migrations where name like 'NestjsShipping%';
