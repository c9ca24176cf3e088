-- Every config key ever set or deleted.
create view coordinator.config_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as config_key, m.body ->> 'config_value' as config_value, m.is_sensitive, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-config';
comment on view coordinator.config_history is E'Every event that set or deleted a config key, also where the value stayed the same: each deployment writes all keys again.\nKey: provenance.';
comment on column coordinator.config_history.config_value is 'The value, or its fingerprint (`hmac-sha256:…`) where it is a secret. Null: the event deletes the key.';
