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
comment on view coordinator.checkpoint_history is 'Every checkpoint ever written: a row an input partition; deletes and empty checkpoints are one row without a partition.';
