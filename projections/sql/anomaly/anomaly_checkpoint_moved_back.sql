-- Checkpoints that the job reads, a row a partition whose offset is lower than in the checkpoint before, where nothing asked for it.
create view projection.anomaly_checkpoint_moved_back as
select c.job_name, c.job_id, c.job_bucket, 'checkpoint_moved_back' as anomaly,
  projection.partition_text(m.system_name, m.stream_name, m.partition_id, m.key_bucket) as subject,
  format('The checkpoint of task %s went back from %s (log offset %s) to %s, and neither a startpoint nor reset.offset asked for it: '
         'what lies between is read again. The checkpoint was written by hand, two containers run the task, or the input was made again.',
         c.task_name, m.earlier_offset, b.log_offset, m.input_offset) as detail,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.suspect_commit c
cross join lateral (
  select e.layout_id, e.offsets, e.offsets_odd, e.record_time, e.log_offset from projection.checkpoint_event e
  where e.log_id = c.log_id and e.key_id = c.key_id and e.log_offset < c.log_offset and c.is_preferred    -- the others are not looked up
  order by e.log_offset desc limit 1) b
cross join lateral projection.checkpoint_lowered(c.log_id, c.layout_id, c.offsets, c.offsets_odd, b.layout_id, b.offsets, b.offsets_odd) m
where c.may_be_lower and not (c.checkpoint_version = 1 and coalesce(m.system_name || '.' || m.stream_name = any (c.changelogs), false))
  and not projection.was_rewind_asked_for(c.log_id, c.task_name, m.system_name, m.stream_name, m.partition_id, b.record_time, c.record_time);
