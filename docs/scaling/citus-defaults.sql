-- Moves the defaults project to the coordinator. On a worker, the loss of this worker would stop all projects. A rebalance
-- moves it to a worker again. If your `defaultsProjectId` is another one than 'default', add `-v defaults=ID`.
\if :{?defaults} \else \set defaults default \endif
begin;
select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) from pg_dist_node where groupid = 0;
select citus_move_shard_placement(shard.shardid, shard.nodename, shard.nodeport, here.nodename, here.nodeport,
  shard_transfer_mode => 'block_writes')
from citus_shards as shard, pg_dist_node as here
where shard.shardid = get_shard_id_for_distribution_column('shipping_project', :'defaults'::text)
  and here.groupid = 0 and (shard.nodename, shard.nodeport) <> (here.nodename, here.nodeport);
select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) from pg_dist_node where groupid = 0;
commit;
