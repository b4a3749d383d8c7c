-- Spreads a table of yours whose rows refer to ours, beside our rows. Its primary key contains project_id.
select create_distributed_table('shop_order', 'project_id', colocate_with => 'shipping_project');
select truncate_local_data_after_distributing_table('shop_order');
alter table shop_order add constraint fk_shop_order_method
  foreign key (project_id, method_id) references shipping_method (project_id, id);
