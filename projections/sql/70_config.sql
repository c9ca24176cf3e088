-- The configuration of every job: a row a key that is set; secrets show as fingerprints.
create view coordinator.config as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.config_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.config is 'The configuration of every job: a row a key that is set; secrets show as fingerprints.';
