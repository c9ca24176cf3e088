-- The partitions that the checkpoints of a task (null = every task) name. Not inlined, so that only a job without assignments pays for its planning (20 ms).
create function projection.checkpointed_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer)
language plpgsql stable parallel safe as $$
#variable_conflict use_column
begin
  return query
  select k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket from projection.checkpoint_state($1, null, $2, $3, null, $4) k
  where $5 is null or k.task_name = $5;
end
$$;
