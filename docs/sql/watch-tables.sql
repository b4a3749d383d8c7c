-- On PostgreSQL: sizes, dead rows, and the age of the oldest row and of the oldest lock that are not frozen.
select relid::regclass as name, pg_size_pretty(pg_table_size(relid)) as rows_size,
  pg_size_pretty(pg_indexes_size(relid)) as indexes_size, n_live_tup, n_dead_tup, last_autovacuum,
  age(relfrozenxid) as xid_age, mxid_age(relminmxid) as multixact_age
from pg_stat_user_tables as tables
join pg_class on pg_class.oid = relid
where tables.relname like 'shipping%' and relkind = 'r'
order by pg_total_relation_size(relid) desc;
