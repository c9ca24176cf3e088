-- The checkpoint every task would start from: a row an input partition.
create view coordinator.checkpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j
cross join lateral projection.checkpoint_state(j.coordinator_log, j.coordinator_incarnation, null, j.checkpoint_log, j.checkpoint_incarnation, null) r;
comment on view coordinator.checkpoint is 'The checkpoint every task would start from: a row an input partition.';
