-- Startpoints handed out to tasks and not yet used up.
create view coordinator.startpoint_fan_out as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.startpoint_fan_out_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.startpoint_fan_out is E'Startpoints that a start handed out to tasks and that are not used up: a row leaves when its partition''s checkpoint was written again. They never expire.\nKey: task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.startpoint_fan_out.created_at is 'When the request was made. Null: timestamptz can''t hold it.';
comment on column coordinator.startpoint_fan_out.fanned_out_at is 'When it was handed out. Null: timestamptz can''t hold it.';
