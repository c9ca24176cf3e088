-- Every checkpoint ever written, a row an input partition; deletes and empty checkpoints are one row without a partition.
create view coordinator.checkpoint_history as
select c.job_name, c.job_id, c.job_bucket, c.task_name, l.system_name, l.stream_name, l.partition_id, l.key_bucket,
  x.input_offset, projection.offset_number(x.input_offset) as input_offset_number, c.checkpoint_id, c.checkpoint_version, c.origin,
  c.grouper_factory, c.operation, c.is_preferred,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.commit c
left join projection.checkpoint_layout l on l.log_id = c.log_id and l.layout_id = c.layout_id and not l.is_state
  and not (c.checkpoint_version = 1 and coalesce(l.system_name || '.' || l.stream_name = any (c.changelogs), false))
left join lateral (select projection.offset_of(c.offsets, c.offsets_odd, l.n)) x(input_offset) on true;
comment on view coordinator.checkpoint_history is E'Every checkpoint ever written, wherever it stood: a row an input partition. A delete and a checkpoint without partitions are one row whose partition is null.\nKey: provenance, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.checkpoint_history.system_name is 'The partition''s system. Null: the event deletes the checkpoint, or the checkpoint is empty.';
comment on column coordinator.checkpoint_history.stream_name is 'The partition''s stream. Null: the event deletes the checkpoint, or the checkpoint is empty.';
comment on column coordinator.checkpoint_history.partition_id is 'The partition''s number. Null: the event deletes the checkpoint, or the checkpoint is empty.';
comment on column coordinator.checkpoint_history.key_bucket is 'The part of the partition that the task reads; -1 is all of it. Null: the event deletes the checkpoint, or the checkpoint is empty.';
comment on column coordinator.checkpoint_history.input_offset is 'The last offset that was processed, as the system writes it. Null: the row has no partition, or the checkpoint names it without an offset.';
comment on column coordinator.checkpoint_history.input_offset_number is 'The same as a number. Null: it is no integer of at most 18 digits.';
comment on column coordinator.checkpoint_history.checkpoint_id is 'Which commit it was: versions 1 and 2 of one commit have the same. Null: a delete; versions 0 and 1 have it only where state was committed.';
comment on column coordinator.checkpoint_history.grouper_factory is 'The class that grouped partitions into tasks, a part of the key in the checkpoint topic. Null: version 0 has none.';
