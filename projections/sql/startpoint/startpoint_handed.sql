-- Every startpoint handed to a task: what a fan-out record holds that the task's record before did not.
create function projection.startpoint_handed(log_id integer, cut bigint)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
               startpoint_type text, startpoint_value text, created_ms bigint, fanned_out_ms bigint, record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select t.task_name, f.system_name, f.stream_name, f.partition_id, f.key_bucket, f.startpoint_type, f.startpoint_value, f.created_ms,
    (t.body ->> 'fanned_out_ms')::bigint, t.record_time, t.log_offset
  from projection.startpoint_turn($1, $2) t
  cross join lateral jsonb_array_elements(t.body -> 'fan_outs') x(entry)
  cross join lateral jsonb_to_record(x.entry)
    f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
  where not coalesce(t.previous_body -> 'fan_outs', '[]'::jsonb) @> jsonb_build_array(x.entry)
$$;
