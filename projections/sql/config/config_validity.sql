-- Every value that a config key ever had, with when it had it.
create view coordinator.config_validity as
select j.job_name, j.job_id, j.job_bucket, t.message_key as config_key, t.body ->> 'config_value' as config_value,
  t.is_sensitive or coalesce((t.body ->> 'is_sensitive')::boolean, false) as is_sensitive,
  v.valid_from, v.valid_to, t.log_offset as from_log_offset, t.next_offset as to_log_offset, j.incarnation
from projection.job_log j
cross join lateral projection.log_replaced_at(j.log_id) r
cross join lateral projection.message_turn(j.log_id, 'set-config', null) t
cross join lateral projection.log_validity(j.log_id, t.log_offset, t.next_offset, r.at) v
where j.stream_kind = 'coordinator' and j.is_complete and t.body is not null;
comment on view coordinator.config_validity is E'Every value that a config key ever had, and from when to when: a row a value, however often deployments wrote it again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are config_as_of T. A filter on the job is cheap, one on the key too.\nKey: config_key, config_value, is_sensitive, incarnation, from_log_offset.';
comment on column coordinator.config_validity.config_value is 'The value, or its fingerprint (`hmac-sha256:…`) where it is a secret.';
