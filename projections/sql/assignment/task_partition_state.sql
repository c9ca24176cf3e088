-- Tasks that read an input partition, a row a task.
create function projection.task_partition_state(log_id integer, incarnation integer, cut bigint)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.system_name, m.stream_name, m.partition_id, m.key_bucket, t.task_name,
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-task-partition-assignment') m
  cross join lateral jsonb_array_elements_text(m.body -> 'task_names') t(task_name)
$$;
