-- On PostgreSQL: the sessions that hold a lock for which others wait. Those that wait for nobody come first, and the
-- longest transaction before the others.
select blocker.pid, blocker.application_name, blocker.client_addr, blocker.state, blocker.wait_event,
  now() - blocker.xact_start as open_for, count(*) as waiting, blocker.query as last_query
from pg_stat_activity as waiter
cross join lateral unnest(pg_blocking_pids(waiter.pid)) as blocking (pid)
join pg_stat_activity as blocker on blocker.pid = blocking.pid
group by blocker.pid, blocker.application_name, blocker.client_addr, blocker.state, blocker.wait_event,
  blocker.xact_start, blocker.query
order by cardinality(pg_blocking_pids(blocker.pid)) > 0, open_for desc;
