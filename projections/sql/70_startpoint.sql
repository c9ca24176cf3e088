-- Startpoints requested and not yet handed out; expiry judged now.
create view coordinator.startpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, null, now()) r;
comment on view coordinator.startpoint is 'Startpoints requested and not yet handed out; expiry is judged when read.';
