-- The relation coordinator.startpoint_fan_out of one log, now (cut null) or as of an offset.
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

create view coordinator.startpoint_fan_out as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.current_job j cross join lateral projection.startpoint_fan_out_state(j.coordinator_log, j.coordinator_incarnation, cut => null) r;
comment on view coordinator.startpoint_fan_out is E'Startpoints that were fanned out to tasks and are not yet consumed. A task removes a partition from its fan-out after it has written the partition''s checkpoint again. A fanned-out startpoint never expires.\nKey: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.startpoint_fan_out.created_at is 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';
comment on column coordinator.startpoint_fan_out.fanned_out_at is 'When the startpoint was fanned out to the task. Null: timestamptz cannot represent the time.';
