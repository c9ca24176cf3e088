-- Tasks whose changelog partition changed, or that were given one which another task had left.
create view projection.anomaly_changelog_remapped as
select j.job_name, j.job_id, j.job_bucket, 'changelog_remapped' as anomaly, t.task_name as subject,
  case when t.earlier_partition <> t.changelog_partition
       then format('The changelog partition of task %s changed from %s (log offset %s) to %s', t.task_name, t.earlier_partition, t.earlier_offset, t.changelog_partition)
       else format('Task %s was given changelog partition %s', t.task_name, t.changelog_partition) end
  || case when f.is_given then format(', which had been that of task %s (log offset %s)', t.holder, t.holder_offset) else '' end
  || ': the task restores the state that stands there, not its own.' as detail,
  t.record_time, t.message_time, t.source, t.host, t.username, j.stream_kind, j.incarnation, t.log_offset
from projection.job_log j
cross join lateral projection.changelog_turn(j.log_id) t
cross join lateral (
  select coalesce(t.holder <> t.task_name and (t.left_offset < t.log_offset or t.left_time <= t.record_time + interval '1 minute'), false)) f(is_given)
where j.stream_kind = 'coordinator' and (f.is_given or t.earlier_partition <> t.changelog_partition);
