-- The configuration of every job: a row a key that is set; secrets show as fingerprints.
create view coordinator.config as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.config_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.config is E'The configuration of every job: a row a key that is set. Secrets show as fingerprints, so that one can ask whether they changed, and not what they are.\nKey: config_key.';
comment on column coordinator.config.config_value is 'The value, or its fingerprint (`hmac-sha256:…`) where it is a secret. An empty text is a value.';
