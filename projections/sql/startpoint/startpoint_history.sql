-- The life of every startpoint ever requested, a row a step; expiry judged now.
create view coordinator.startpoint_history as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_log j cross join lateral projection.startpoint_life_state(j.log_id, j.incarnation, null, now()) r
where j.stream_kind = 'coordinator';
comment on view coordinator.startpoint_history is E'The life of every startpoint, a row a step: requested, then superseded, deleted or expired, or fanned out to tasks and there consumed, refused, superseded or deleted. Whether a request has expired is judged when read.\nKey: provenance, system_name, stream_name, partition_id, key_bucket, task_name, created_at, status.';
comment on column coordinator.startpoint_history.task_name is 'The task that the startpoint was requested for or fanned out to. Null: requested for every task.';
comment on column coordinator.startpoint_history.startpoint_type is 'oldest, upcoming, specific or timestamp.';
comment on column coordinator.startpoint_history.startpoint_value is 'The next offset to read, or a time in ms since 1970. Null: oldest and upcoming have none.';
comment on column coordinator.startpoint_history.created_at is 'When the startpoint was made, by its writer''s clock. Null: a time that timestamptz cannot hold.';
comment on column coordinator.startpoint_history.status is 'requested; superseded: overwritten, or another one won the fan-out; fanned_out: handed to the task; consumed: left the fan-out after the partition''s checkpoint was written again; refused: the same, but that checkpoint goes on from the old place; expired: 12 hours after its creation nobody had taken it; deleted: taken away before it was used.';
comment on column coordinator.startpoint_history.record_time is 'When the step was recorded; of an expired one when it expired. Null: a time that timestamptz cannot hold.';
comment on column coordinator.startpoint_history.message_time is 'Startpoints have no envelope. Null: always.';
comment on column coordinator.startpoint_history.source is 'Startpoints have no envelope. Null: always.';
comment on column coordinator.startpoint_history.host is 'Startpoints have no envelope. Null: always.';
comment on column coordinator.startpoint_history.username is 'Startpoints have no envelope. Null: always.';
comment on column coordinator.startpoint_history.log_offset is 'The event that is the step. Null: no event says that a startpoint expired.';
