-- Startpoints that left their tasks' fan-outs, with the checkpoints before and after: what was asked, and what was read again.
create view coordinator.rewind as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket,
  r.startpoint_type, r.startpoint_value, projection.to_time(r.created_ms) as created_at, projection.to_time(r.fanned_out_ms) as fanned_out_at, r.status,
  r.earlier_offset as previous_offset, r.input_offset,
  case when n.skipped is not null then greatest(-n.skipped, 0) end as records_again,
  case when n.skipped is not null then greatest(n.skipped, 0) end as records_skipped,
  r.record_time, null::timestamptz as message_time, null::text as source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j
cross join lateral projection.startpoint_removed(j.log_id, cut => null) r
cross join lateral projection.base_end(j.log_id) b
cross join lateral (
  select case when r.status = 'consumed' and r.startpoint_type = 'specific'
    then projection.offset_number(r.startpoint_value) - projection.next_offset(projection.offset_number(r.earlier_offset)) end) n(skipped)
where j.stream_kind = 'coordinator' and coalesce(r.log_offset > b.last_offset, true);
comment on view coordinator.rewind is E'Startpoints that were fanned out to a task and have since left its fan-out: the request, its outcome, and how many records were read again or skipped. Pending startpoints are in startpoint and startpoint_fan_out.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.rewind.startpoint_type is 'oldest, upcoming, specific or timestamp.';
comment on column coordinator.rewind.startpoint_value is 'The next offset to read, or a time in ms since 1970. Null: oldest and upcoming have none.';
comment on column coordinator.rewind.created_at is 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';
comment on column coordinator.rewind.fanned_out_at is 'When the job''s start fanned the startpoint out. Null: timestamptz cannot represent the time.';
comment on column coordinator.rewind.status is 'consumed, refused, superseded or deleted, as in startpoint_history.';
comment on column coordinator.rewind.previous_offset is 'The last processed offset in the task''s checkpoint before the one of input_offset. Null: there is none, or it lacks the partition.';
comment on column coordinator.rewind.input_offset is 'The last processed offset in the checkpoint with which the startpoint left the fan-out. Null: there is none, or it lacks the partition.';
comment on column coordinator.rewind.records_again is 'How many offsets the task went back: it has read their records again, or will. Null: it did not start there, the startpoint is not an offset, or the task had no checkpoint.';
comment on column coordinator.rewind.records_skipped is 'How many offsets the task skipped. Null: as records_again.';
comment on column coordinator.rewind.message_time is 'Startpoints have no envelope. Null: always.';
comment on column coordinator.rewind.source is 'Startpoints have no envelope. Null: always.';
comment on column coordinator.rewind.host is 'The host of the fan-out''s writer, from the headers that coordstream writes. Null: another program wrote the event.';
comment on column coordinator.rewind.username is 'The user who wrote the fan-out, from the headers that coordstream writes. Null: another program wrote the event.';
