-- Erases a member of staff from the events of one project, as the owner of the table. It reads all these events.
-- On MariaDB and MySQL, write json_value(actor, '$.type') and json_value(actor, '$.id'), and first send
-- set transaction isolation level read committed: otherwise each record() of the project waits until the end.
update shipping_order_event set actor = '{"type":"user","id":null,"label":null}'
where project_id = 'acme' and actor ->> 'type' = 'user' and actor ->> 'id' = 'u-17';
