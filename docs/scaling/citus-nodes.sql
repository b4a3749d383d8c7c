-- Makes this server the coordinator of a cluster with two workers. On all three, the database has the extension `citus`.
select citus_set_coordinator_host('10.0.0.1', 5432);
select citus_set_node_property('10.0.0.1', 5432, 'shouldhaveshards', false);
select citus_add_node('10.0.0.2', 5432);
select citus_add_node('10.0.0.3', 5432);
