-- Startpoints handed out to tasks and not yet used up.
create view coordinator.startpoint_fan_out as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.startpoint_fan_out_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.startpoint_fan_out is 'Startpoints handed out to tasks and not yet used up.';
