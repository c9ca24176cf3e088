-- Startpoints that name a partition of a task, requested or handed out to it, whether they count or not. A request's
-- key_bucket is null, since it names all of them; created_ms is null for a fan-out, which was settled already.
create function projection.startpoint_tried(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint,
                                            at timestamptz, task_name text)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text,
               is_fan_out boolean, is_for_task boolean, is_expired boolean, is_ambiguous boolean, created_ms bigint, asked_at timestamptz,
               record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select c.system_name, c.stream_name, c.partition_id, null::integer, c.startpoint_type, c.startpoint_value,
    false, c.task_name is not null, c.is_expired, c.is_ambiguous, c.created_ms, projection.to_time(c.created_ms), c.record_time, c.log_offset
  from projection.startpoint_candidate($1, $2, $3, $4, $5) c
  where c.task_name is null or c.task_name = $6
  union all
  select f.system_name, f.stream_name, f.partition_id, f.key_bucket, f.startpoint_type, f.startpoint_value,
    true, true, false, false, null, f.fanned_out_at, f.record_time, f.log_offset
  from projection.startpoint_fan_out_state($1, null, $2) f
  where f.task_name = $6
$$;
