-- The changelog partition of every task.
create view coordinator.changelog_mapping as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.changelog_mapping_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.changelog_mapping is E'The changelog partition that every task writes its stores'' changes to. It must never change while the stores live.\nKey: task_name.';
comment on column coordinator.changelog_mapping.changelog_partition is 'The partition, the same in every changelog of the job.';
