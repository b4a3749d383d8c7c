-- On PostgreSQL: sizes, dead rows, and the age of the oldest row that is not frozen.
select tables.relname, pg_size_pretty(pg_table_size(relid)) as rows_size,
  pg_size_pretty(pg_indexes_size(relid)) as indexes_size,
  n_live_tup, n_dead_tup, last_autovacuum, age(relfrozenxid) as xid_age
from pg_stat_user_tables as tables
join pg_class on pg_class.oid = relid
where tables.relname like 'shipping%'
order by pg_total_relation_size(relid) desc;
