-- Whether every task is active or a standby.
create view coordinator.task_mode as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.task_mode_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.task_mode is E'Whether every task is active or a standby.\nKey: task_name.';
comment on column coordinator.task_mode.task_mode is 'Active or Standby; standby tasks are called Standby-<task>-<n>.';
