-- The rows of projection.config as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.config_at(log_id integer, cut bigint, keys integer[]) returns setof projection.config language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.is_sensitive or coalesce((m.body ->> 'is_sensitive')::boolean, false), m.message_key, m.body ->> 'config_value', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-config', $3) m
$$;

create view coordinator.config as
select j.job_name, j.job_id, j.job_bucket, r.config_key, r.config_value, r.is_sensitive,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.config r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.config is E'The configuration of each job: one row per config key that is set. Secrets are replaced by fingerprints, which show whether a value changed without showing the value.\nKey: job_name, job_id, config_key.';
comment on column coordinator.config.config_value is 'The value, or its fingerprint (`hmac-sha256:…`) if it is a secret. An empty string is a value.';

create view coordinator.config_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as config_key, m.body ->> 'config_value' as config_value, m.is_sensitive, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-config';
comment on view coordinator.config_history is E'Every event that set or deleted a config key, also if the value stayed the same: each deployment writes all keys again.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, config_key.';
comment on column coordinator.config_history.config_value is 'The value, or its fingerprint (`hmac-sha256:…`) if it is a secret. Null: the event deletes the key.';

create view coordinator.config_validity as
select j.job_name, j.job_id, j.job_bucket, t.message_key as config_key, t.body ->> 'config_value' as config_value,
  t.is_sensitive or coalesce((t.body ->> 'is_sensitive')::boolean, false) as is_sensitive,
  t.valid_from, t.valid_to, t.log_offset as from_log_offset, t.next_offset as to_log_offset, j.incarnation
from projection.job_log j
cross join lateral projection.log_shown(j.log_id) s
cross join lateral projection.base_end(j.log_id) b
cross join lateral projection.message_validity(j.log_id, 'set-config', s.since, s.until) t
where j.stream_kind = 'coordinator' and coalesce(t.next_offset > b.last_offset, true);
comment on view coordinator.config_validity is E'Every value that a config key had, and the time for which it was valid: one row per value, however often deployments wrote it again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are those of config_as_of at T. After a retention, a value that was valid at the horizon begins with its newest event before it. Filters on the job and on the key use indexes.\nKey: job_name, job_id, config_key, config_value, is_sensitive, incarnation, from_log_offset.';
comment on column coordinator.config_validity.config_value is 'The value, or its fingerprint (`hmac-sha256:…`) if it is a secret.';
