-- The changelog partition of every task.
create view coordinator.changelog_mapping as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.changelog_mapping_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.changelog_mapping is 'The changelog partition of every task.';
