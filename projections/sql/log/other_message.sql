create view coordinator.other_message as
select j.job_name, j.job_id, j.job_bucket, m.message_type, m.message_key, m.body ->> 'message_value' as message_value,
  m.record_time, m.message_time, m.source, m.host, m.username, j.stream_kind, j.incarnation, m.log_offset
from projection.job_log j cross join lateral projection.message_head(j.log_id, cut => null, message_type => null) m
where j.is_current;
comment on view coordinator.other_message is E'Current messages of types that have no relation of their own, as text: container placement, and types that coordstream does not know. Secrets are replaced by fingerprints.\nKey: job_name, job_id, message_type, message_key, stream_kind.';
comment on column coordinator.other_message.message_value is 'The value of the message as text.';
