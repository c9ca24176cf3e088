-- Living messages of types that have no relation of their own, as text with secrets masked.
create view coordinator.other_message as
select j.job_name, j.job_id, j.job_bucket, m.message_type, m.message_key, m.body ->> 'message_value' as message_value,
  m.record_time, m.message_time, m.source, m.host, m.username, j.stream_kind, j.incarnation, m.log_offset
from projection.job_log j cross join lateral projection.message_head(j.log_id, null, null) m
where j.is_current;
comment on view coordinator.other_message is E'Living messages of types that have no relation of their own, as text: container placement, types of the future. Secrets show as fingerprints.\nKey: message_type, message_key, stream_kind.';
comment on column coordinator.other_message.message_value is 'The message''s value as text.';
