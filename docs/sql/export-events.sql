-- All events, in the order of each history. The statement runs on PostgreSQL, MariaDB, MySQL and SQLite.
select project_id, order_id, occurred_at, seq, id, type, message, data, actor, dedupe_key, recorded_at
from shipping_order_event
order by project_id, order_id, occurred_at, seq;
