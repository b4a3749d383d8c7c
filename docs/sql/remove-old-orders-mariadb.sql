-- On MariaDB and MySQL: removes the orders for which nothing was recorded since `keep_since`. Each step commits by itself,
-- so you can stop the call and start it again. Also start it again if a deadlock with a writer has ended it.
-- It reads the events by `seq`, and ends where the next 1000 are all newer. A project that was moved here from another
-- database brings the numbers of that database, so its old events may stay: remove these orders with removeHistory.
drop procedure if exists remove_old_orders;
delimiter //
create procedure remove_old_orders(keep_since datetime(3))
begin
  declare from_seq bigint default 0;
  declare to_seq bigint;
  set session transaction isolation level read committed;
  repeat
    set to_seq = (
      select max(seq) from (
        select seq, recorded_at from shipping_order_event where seq > from_seq order by seq limit 1000
      ) as numbers where recorded_at < keep_since
    );
    delete event from shipping_order_event as event
    join (
      select distinct project_id, order_id from shipping_order_event as old
      where seq > from_seq and seq <= to_seq and not exists (
        select 1 from shipping_order_event as newer
        where newer.project_id = old.project_id and newer.order_id = old.order_id and newer.recorded_at >= keep_since
      )
    ) as done on done.project_id = event.project_id and done.order_id = event.order_id;
    set from_seq = to_seq;
  until from_seq is null end repeat;
end //
delimiter ;
call remove_old_orders(utc_timestamp(3) - interval 7 year);
