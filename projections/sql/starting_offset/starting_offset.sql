-- Where the next start of every task would begin, and why.
create view coordinator.starting_offset as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j
cross join lateral projection.starting_offset_state(j.coordinator_log, null, j.checkpoint_log, null, now(), null) r
where r.decided_by is not null;
comment on view coordinator.starting_offset is E'Where the next start, as a new deployment, would begin each partition of every task, and by which rule: startpoint, then reset, then checkpoint, then default. The partitions are those assigned to the tasks; where the job has no assignments at all (seed 000, or a job that only uses the managers), those that the tasks'' checkpoints name. Only streams that are among the job''s inputs; expiry is judged when read (by the function: at its time).\nKey: task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.starting_offset.decided_by is 'The rule: `startpoint`, `reset` (config says to ignore the checkpoint), `checkpoint`, or `default` (config, else upcoming).';
comment on column coordinator.starting_offset.startpoint_type is 'Where it starts: `oldest`, `upcoming`, `specific`, `timestamp`. Null: a checkpoint decided.';
comment on column coordinator.starting_offset.startpoint_value is 'The offset of `specific`, the time in ms of `timestamp`. Null: another type, or no startpoint decided.';
comment on column coordinator.starting_offset.starting_offset is 'The first offset to be read: for a checkpoint of a Kafka input the one after it. Null: only the input system can tell.';
comment on column coordinator.starting_offset.startpoint_log_offset is 'The event of the coordinator stream that holds the startpoint, also of one that names no place. Null: no startpoint counted.';
comment on column coordinator.starting_offset.checkpoint_log_offset is 'The event that holds the partition''s checkpoint, be it the winner or not. Null: there is no checkpoint of it.';
comment on column coordinator.starting_offset.ignored_reason is 'Why the strongest loser lost: `older` (than another startpoint), `expired`, `ambiguous`, `replaced` (a newer hand-out), `no place` (a startpoint that names none), `startpoint` or `reset` (it was the checkpoint). Null: nothing was passed over.';
comment on column coordinator.starting_offset.assigned_by is 'What says that the task reads the partition: `assignment`, or `checkpoint` where the job has no assignments.';
