-- The checkpoint every task would start from: a row an input partition.
create view coordinator.checkpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j
cross join lateral projection.checkpoint_state(j.coordinator_log, j.coordinator_incarnation, null, j.checkpoint_log, j.checkpoint_incarnation, null) r;
comment on view coordinator.checkpoint is E'The checkpoint that every task would start from: a row an input partition. It is read from the checkpoint topic if the job has one, else from the coordinator stream; the job''s config says which versions count, in which order.\nKey: task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.checkpoint.input_offset is 'The last offset that was processed, as the system writes it: the task goes on after it. Null: the checkpoint names the partition without an offset.';
comment on column coordinator.checkpoint.input_offset_number is 'The same as a number. Null: it is no integer of at most 18 digits.';
comment on column coordinator.checkpoint.checkpoint_id is 'Which commit it was: a time in ms and a part that tells commits apart. Null: versions 0 and 1 have it only where state was committed.';
