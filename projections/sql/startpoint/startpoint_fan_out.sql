-- Startpoints handed out to tasks and not yet used up, a row a partition.
create function projection.startpoint_fan_out_state(log_id integer, incarnation integer, cut bigint)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
               startpoint_type text, startpoint_value text, created_at timestamptz, fanned_out_at timestamptz,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, f.system_name, f.stream_name, f.partition_id, f.key_bucket,
    f.startpoint_type, f.startpoint_value, projection.to_time(f.created_ms), projection.to_time((m.body ->> 'fanned_out_ms')::bigint),
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'samza-startpoint-v1-fan-out') m
  cross join lateral jsonb_to_recordset(m.body -> 'fan_outs')
    f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
$$;

-- Startpoints handed out to tasks and not yet used up.
create view coordinator.startpoint_fan_out as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.startpoint_fan_out_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.startpoint_fan_out is E'Startpoints that a start handed out to tasks and that are not used up: a row leaves when its partition''s checkpoint was written again. They never expire.\nKey: task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.startpoint_fan_out.created_at is 'When the request was made. Null: timestamptz can''t hold it.';
comment on column coordinator.startpoint_fan_out.fanned_out_at is 'When it was handed out. Null: timestamptz can''t hold it.';
