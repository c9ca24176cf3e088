-- The state markers of the checkpoint every task would start from: a row a store.
create view coordinator.state_checkpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j
cross join lateral projection.state_checkpoint_state(j.coordinator_log, j.coordinator_incarnation, null, j.checkpoint_log, j.checkpoint_incarnation, null) r;
comment on view coordinator.state_checkpoint is 'The state markers of the checkpoint every task would start from: a row a store.';
