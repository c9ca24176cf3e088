create view coordinator.quarantine as
select j.job_name, j.job_id, j.job_bucket, j.stream_name, q.reason, q.detail, q.key_text, q.value_bytes, q.value_fingerprint,
  q.resolved_by is not null as is_resolved,
  q.record_time, null::timestamptz as message_time, null::text as source, null::text as host, null::text as username,
  j.stream_kind, j.incarnation, q.log_offset
from projection.quarantine q join projection.job_log j on j.log_id = q.log_id;
comment on view coordinator.quarantine is E'Events that could not be decoded, each with its reason. They change no other relation: the last readable value stays.\nKey: job_name, job_id, stream_kind, incarnation, log_offset.';
comment on column coordinator.quarantine.stream_name is 'The stream of the log.';
comment on column coordinator.quarantine.reason is 'A short code: `not_json`, `not_utf8`, `nul`, `surrogate`, `wrong_type`, `missing_field`, `bad_number`, `bad_partition`, `null_key` and others.';
comment on column coordinator.quarantine.detail is 'What is wrong, and where; never a value.';
comment on column coordinator.quarantine.key_text is 'The key as text, with secrets masked and other bytes escaped. Null: the event has no key.';
comment on column coordinator.quarantine.value_bytes is 'Length of the value in bytes. Null: the event has no value.';
comment on column coordinator.quarantine.value_fingerprint is 'Fingerprint of the value (`hmac-sha256:…`): the same for the same bytes. Null: the event has no value.';
comment on column coordinator.quarantine.is_resolved is 'Whether a readable value or a tombstone with the same key came later.';
