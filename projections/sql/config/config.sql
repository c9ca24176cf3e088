-- Config: a row a key that is set.
create function projection.config_state(log_id integer, incarnation integer, cut bigint)
returns table (config_key text, config_value text, is_sensitive boolean,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'config_value', m.is_sensitive or coalesce((m.body ->> 'is_sensitive')::boolean, false),
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-config') m
$$;

-- The configuration of every job: a row a key that is set; secrets show as fingerprints.
create view coordinator.config as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.config_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.config is E'The configuration of every job: a row a key that is set. Secrets show as fingerprints, so that one can ask whether they changed, and not what they are.\nKey: config_key.';
comment on column coordinator.config.config_value is 'The value, or its fingerprint (`hmac-sha256:…`) where it is a secret. An empty text is a value.';

-- Every config key ever set or deleted.
create view coordinator.config_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as config_key, m.body ->> 'config_value' as config_value, m.is_sensitive, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-config';
comment on view coordinator.config_history is E'Every event that set or deleted a config key, also where the value stayed the same: each deployment writes all keys again.\nKey: provenance.';
comment on column coordinator.config_history.config_value is 'The value, or its fingerprint (`hmac-sha256:…`) where it is a secret. Null: the event deletes the key.';

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
