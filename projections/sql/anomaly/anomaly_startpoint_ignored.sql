-- Startpoints that a task was handed and did not start from: refused, or never taken out of the fan-out.
create view projection.anomaly_startpoint_ignored as
select j.job_name, j.job_id, j.job_bucket, 'startpoint_ignored' as anomaly,
  projection.partition_text(i.system_name, i.stream_name, i.partition_id, i.key_bucket) as subject,
  i.detail, i.record_time, null::timestamptz as message_time, null::text as source, null::text as host, null::text as username,
  i.stream_kind, i.incarnation, i.log_offset
from projection.job_log j
cross join lateral (
  select r.system_name, r.stream_name, r.partition_id, r.key_bucket,
    format('Task %s was handed the startpoint %s, and its next checkpoint went on from the old place, from %s (log offset %s) to %s (log offset %s): '
           'the startpoint could not be resolved and was passed over, or the task had read past the old place when it wrote the checkpoint.',
           r.task_name, concat_ws(' ', r.startpoint_type, r.startpoint_value), r.earlier_offset, r.earlier_log_offset, r.input_offset, r.checkpoint_log_offset),
    r.record_time, j.stream_kind, j.incarnation, r.log_offset
  from projection.startpoint_removed(j.log_id, null) r where r.status = 'refused'
  union all
  select u.system_name, u.stream_name, u.partition_id, u.key_bucket,
    format('Task %s was handed the startpoint %s (log offset %s), and its checkpoints went on without taking it, from %s to %s (log offset %s): '
           'no container of the task has started since, or none reads its startpoints.',
           u.task_name, concat_ws(' ', u.startpoint_type, u.startpoint_value), u.fan_out_offset, coalesce(u.earlier_offset, 'nothing'), u.input_offset, u.moved_log_offset),
    u.record_time, u.stream_kind, u.incarnation, u.log_offset
  from projection.startpoint_untaken(j.log_id) u
) i(system_name, stream_name, partition_id, key_bucket, detail, record_time, stream_kind, incarnation, log_offset)
where j.stream_kind = 'coordinator';
