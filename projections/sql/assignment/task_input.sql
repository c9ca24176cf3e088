-- The partitions that a task (null = every task) of a job reads: its assignments or, if the job has no assignments at all (it uses only
-- the managers, not Samza's job coordinator), the partitions in the checkpoints that its tasks start from. Standby tasks are assigned the
-- partitions of their active tasks, but read only changelogs. managers.startpoints.next_starts has the same rule.
create function projection.task_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, assigned_by text)
language sql stable parallel safe as $$
  select t.task_name, t.system_name, t.stream_name, t.partition_id, t.key_bucket, 'assignment' from projection.task_partition_state($1, $2) t
  where ($5 is null or t.task_name = $5)
    and t.task_name not in (select m.task_name from projection.task_mode_state($1, $2) m where m.task_mode = 'Standby')
  union all
  select k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket, 'checkpoint' from projection.checkpointed_input($1, $2, $3, $4, $5) k
  where not projection.is_assigned($1, $2)
$$;

-- Whether a job has any assignment of a partition to a task, now (cut null) or as of an offset of its coordinator stream. It stops at
-- the first one. Spellings of one key count as one, as in message_head.
create function projection.is_assigned(log_id integer, cut bigint) returns boolean language sql stable parallel safe as $$
  select exists (
    select from projection.event_key k
    cross join lateral (
      select x.body from projection.event_key s
      cross join lateral (
        select e.body, e.log_offset from projection.message_event e
        where e.log_id = s.log_id and e.key_id = s.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
        order by e.log_offset desc limit 1) x
      where s.log_id = k.log_id and s.message_type = 'set-task-partition-assignment' and not s.is_other
        and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key and x.body is not null
      order by x.log_offset desc limit 1) h
    where k.log_id = $1 and k.message_type = 'set-task-partition-assignment' and not k.is_other
      and jsonb_array_length(h.body -> 'task_names') > 0)
$$;

-- The partitions in the checkpoints of a task (null = every task). Not inlined, so that only a job without assignments pays for its
-- planning (20 ms).
create function projection.checkpointed_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer)
language plpgsql stable parallel safe as $$
#variable_conflict use_column
begin
  return query
  select k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket from projection.checkpoint_state($1, $2, $3, $4) k
  where $5 is null or k.task_name = $5;
end
$$;

-- Whether a task (null = any) reads a partition, now (cuts null) or as of an offset of both logs: 2 = as an input, 1 = it is assigned, but not
-- among the job's inputs, 0 = it does not. Its subquery prevents inlining, so that only keys that can be read in several ways pay for its
-- planning.
create function projection.reading_rank(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint,
                                        system_name text, stream_name text, partition_id integer, task_name text)
returns integer language sql stable parallel safe as $$
  select case
    when not exists (
      select from projection.task_input($1, $2, $3, $4, $8) t
      where t.system_name = $5 and t.stream_name = $6 and t.partition_id = $7) then 0
    when projection.is_input((
      select coalesce(jsonb_object_agg(c.config_key, c.config_value), '{}'::jsonb) from projection.config_state($1, $2) c), $5, $6) then 2
    else 1 end
$$;
