-- Requested startpoints that nobody has taken yet. The checkpoint topic (null = none) tells what tasks read where nothing else does.
create function projection.startpoint_request(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (key_id integer, system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_ms bigint, is_ambiguous boolean,
               record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select m.key_id, r.system_name, r.stream_name, r.partition_id, -1, r.task_name,
    m.body ->> 'startpoint_type', m.body ->> 'startpoint_value', (m.body ->> 'created_ms')::bigint,
    r.is_ambiguous, m.record_time, m.log_offset
  from projection.message_head($1, $2, 'samza-startpoint-v1') m
  cross join lateral projection.startpoint_meaning($1, m.key_id, $2, $3, $4) r
$$;
