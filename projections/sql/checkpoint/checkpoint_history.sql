create view coordinator.checkpoint_history as
select c.job_name, c.job_id, c.job_bucket, c.task_name, l.system_name, l.stream_name, l.partition_id, l.key_bucket,
  l.value as input_offset, projection.offset_number(l.value) as input_offset_number, c.checkpoint_id, c.checkpoint_version, c.origin,
  c.grouper_factory, c.operation, c.is_preferred,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.counted_commit c
left join lateral projection.opened_input(c.layout, c.offsets, c.offsets_odd) l
  on not l.is_state and not projection.is_changelog(c.checkpoint_version, l.system_name, l.stream_name, c.changelogs);
comment on view coordinator.checkpoint_history is E'Every checkpoint ever written, on the checkpoint topic or the coordinator stream: one row per input partition. A delete or a checkpoint without partitions is one row whose partition is null. "order by log_offset desc limit n" with a job sorts all rows of the job: for its newest checkpoints use coordinator.newest_commits, and select the rows of these events by task_name and log_offset.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, task_name, checkpoint_version, grouper_factory, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.checkpoint_history.system_name is 'The system of the partition. Null: the event deletes the checkpoint, or the checkpoint is empty.';
comment on column coordinator.checkpoint_history.stream_name is 'The stream of the partition. Null: the event deletes the checkpoint, or the checkpoint is empty.';
comment on column coordinator.checkpoint_history.partition_id is 'The number of the partition. Null: the event deletes the checkpoint, or the checkpoint is empty.';
comment on column coordinator.checkpoint_history.key_bucket is 'The part of the partition that the task reads; -1 for the whole partition. Null: the event deletes the checkpoint, or the checkpoint is empty.';
comment on column coordinator.checkpoint_history.input_offset is 'The last processed offset, as the input system writes it. Null: the row has no partition, or the checkpoint has it without an offset.';
comment on column coordinator.checkpoint_history.input_offset_number is 'input_offset as a number. Null: it is not an integer of at most 19 digits in the range of bigint.';
comment on column coordinator.checkpoint_history.checkpoint_id is 'Identifies the commit: versions 1 and 2 of one commit have the same id. Null: a delete; versions 0 and 1 have it only if state was committed.';
comment on column coordinator.checkpoint_history.grouper_factory is 'The class that grouped the partitions into tasks, which is part of the key on the checkpoint topic. Null: version 0 has none.';
