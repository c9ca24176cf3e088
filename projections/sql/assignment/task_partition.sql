-- The tasks that read every input partition.
create view coordinator.task_partition as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.task_partition_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.task_partition is E'Which tasks read which input partition: several for a broadcast input, so a row a partition and task. Partitions of inputs that the job no longer has stay here, as they do on the log.\nKey: system_name, stream_name, partition_id, key_bucket, task_name.';
