-- Events whose bytes could not be understood.
create view coordinator.quarantine as
select j.job_name, j.job_id, j.job_bucket, j.stream_name, q.reason, q.detail, q.key_text, q.value_bytes, q.value_fingerprint,
  q.resolved_by is not null as is_resolved,
  q.record_time, null::timestamptz as message_time, null::text as source, null::text as host, null::text as username,
  j.stream_kind, j.incarnation, q.log_offset
from projection.quarantine q join projection.job_log j on j.log_id = q.log_id;
comment on view coordinator.quarantine is E'Events whose bytes could not be understood, each with its reason. They changed nothing: the last readable value still counts.\nKey: provenance.';
comment on column coordinator.quarantine.stream_name is 'The log''s stream.';
comment on column coordinator.quarantine.reason is 'A short code: `not_json`, `not_utf8`, `nul`, `surrogate`, `wrong_type`, `missing_field`, `bad_number`, `bad_partition`, `null_key` and the like.';
comment on column coordinator.quarantine.detail is 'What is wrong, and where, in words; never a value.';
comment on column coordinator.quarantine.key_text is 'The key as text, secrets masked; bytes that are no text are escaped. Null: the event has no key.';
comment on column coordinator.quarantine.value_bytes is 'Length of the value. Null: the event has no value.';
comment on column coordinator.quarantine.value_fingerprint is 'Fingerprint of the value (`hmac-sha256:…`): the same for the same bytes. Null: the event has no value.';
comment on column coordinator.quarantine.is_resolved is 'A readable value or a tombstone with the same key came later.';
