-- The rows of projection.startpoint_fan_out as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.startpoint_fan_out_at(log_id integer, cut bigint, keys integer[]) returns setof projection.startpoint_fan_out language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, f.n::integer,
    projection.to_time(f.created_ms), projection.to_time((m.body ->> 'fanned_out_ms')::bigint), f.partition_id, f.key_bucket,
    m.message_key, f.system_name, f.stream_name, f.startpoint_type, f.startpoint_value, m.source, m.host, m.username
  from projection.message_head($1, $2, 'samza-startpoint-v1-fan-out', $3) m
  cross join lateral rows from (jsonb_to_recordset(m.body -> 'fan_outs') as
    (system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint))
    with ordinality f(system_name, stream_name, partition_id, key_bucket, startpoint_type, startpoint_value, created_ms, n)
$$;

create view coordinator.startpoint_fan_out as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket,
  r.startpoint_type, r.startpoint_value, r.created_at, r.fanned_out_at,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.startpoint_fan_out r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.startpoint_fan_out is E'Startpoints that were fanned out to tasks and are not yet consumed. A task removes a partition from its fan-out after it has written the partition''s checkpoint again. A fanned-out startpoint never expires.\nKey: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.startpoint_fan_out.created_at is 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';
comment on column coordinator.startpoint_fan_out.fanned_out_at is 'When the startpoint was fanned out to the task. Null: timestamptz cannot represent the time.';
