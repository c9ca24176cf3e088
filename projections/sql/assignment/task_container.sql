-- The container that runs every task.
create view coordinator.task_container as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.task_container_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.task_container is E'The container that runs every task.\nKey: task_name.';
