-- Requested startpoints as the relation shows them; expiry (12 h after creation, seed 004) is judged at a given time.
create function projection.startpoint_state(log_id integer, incarnation integer, cut bigint,
                                           checkpoint_log integer, checkpoint_cut bigint, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_at timestamptz, expires_at timestamptz, is_expired boolean, is_ambiguous boolean,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.startpoint_type, r.startpoint_value,
    projection.to_time(r.created_ms), projection.to_time(least(r.created_ms, 9223372036811575807) + 43200000),
    projection.is_expired(r.created_ms, $6), r.is_ambiguous,
    r.record_time, null::timestamptz, null::text, null::text, null::text, 'coordinator', $2, r.log_offset
  from projection.startpoint_request($1, $3, $4, $5) r
$$;
