-- Where the next start of every task would begin, and why.
create view coordinator.starting_offset as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j
cross join lateral projection.starting_offset_state(j.coordinator_log, null, j.checkpoint_log, null, now()) r;
comment on view coordinator.starting_offset is 'Where the next start of every task would begin each of its partitions, and by which rule; expiry is judged when read.';
