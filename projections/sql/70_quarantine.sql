-- Events whose bytes could not be understood.
create view coordinator.quarantine as
select j.job_name, j.job_id, j.job_bucket, j.stream_name, q.reason, q.detail, q.key_text, q.value_bytes, q.value_fingerprint,
  q.resolved_by is not null as is_resolved,
  q.record_time, null::timestamptz as message_time, null::text as source, null::text as host, null::text as username,
  j.stream_kind, j.incarnation, q.log_offset
from projection.quarantine q join projection.job_log j on j.log_id = q.log_id;
comment on view coordinator.quarantine is 'Events whose bytes could not be understood; resolved once a readable value or a tombstone with the same key came.';
