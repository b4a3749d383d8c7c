-- On MariaDB: the sessions that hold a lock for which others wait. The longest transaction comes first.
select blocker.trx_mysql_thread_id as id, session.user, session.host, session.command, blocker.trx_started,
  count(distinct waits.requesting_trx_id) as waiting, blocker.trx_query as query
from information_schema.innodb_lock_waits as waits
join information_schema.innodb_trx as blocker on blocker.trx_id = waits.blocking_trx_id
join information_schema.processlist as session on session.id = blocker.trx_mysql_thread_id
group by blocker.trx_mysql_thread_id, session.user, session.host, session.command, blocker.trx_started, blocker.trx_query
order by blocker.trx_started;
