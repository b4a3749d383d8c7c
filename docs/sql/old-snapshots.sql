-- On PostgreSQL: what keeps vacuum from removing dead rows of this database. The oldest comes first.
select 'session ' || pid as holder, application_name as name, client_addr, state, xact_start as since,
  greatest(age(backend_xmin), age(backend_xid)) as xid_age
from pg_stat_activity
where coalesce(backend_xmin, backend_xid) is not null and pid <> pg_backend_pid()
  and coalesce(datname, current_database()) = current_database()
union all select 'replication slot', slot_name, null, null, null, age(xmin) from pg_replication_slots where xmin is not null
union all select 'prepared transaction', gid, null, null, prepared, age(transaction) from pg_prepared_xacts
where database = current_database()
order by xid_age desc;
