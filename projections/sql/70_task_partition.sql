-- The tasks that read every input partition.
create view coordinator.task_partition as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.task_partition_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.task_partition is 'The tasks that read every input partition.';
