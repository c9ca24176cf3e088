-- Whether a task (null = any) is known to read a partition, now (cuts null) or at an offset of both logs. Not inlined because of its
-- subquery, so that only keys that can be read in several ways pay for its planning.
create function projection.is_read(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint,
                                   system_name text, stream_name text, partition_id integer, task_name text)
returns boolean language sql stable parallel safe as $$
  select exists (
    select from projection.task_input($1, $2, $3, $4, $8) t
    where t.system_name = $5 and t.stream_name = $6 and t.partition_id = $7)
$$;
