-- The host where every container runs.
create view coordinator.container_host as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.container_host_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.container_host is 'The host where every container runs.';
