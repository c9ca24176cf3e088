-- What a task (null = every task) of a job reads, a row a partition: by the assignments of tasks to partitions; of a job that has none (seed 000, or one
-- that only uses the managers) by what the checkpoints name that its tasks start from. The same rule as managers.startpoints.startpoint_facts.
create function projection.task_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, assigned_by text)
language sql stable parallel safe as $$
  select t.task_name, t.system_name, t.stream_name, t.partition_id, t.key_bucket, 'assignment' from projection.task_partition_state($1, null, $2) t
  where $5 is null or t.task_name = $5
  union all
  select k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket, 'checkpoint' from projection.checkpointed_input($1, $2, $3, $4, $5) k
  where not projection.is_assigned($1, $2)
$$;
