-- Changelog partitions given to a task while another one has them. A start writes its mapping task by task, so that what
-- the other task loses within a minute was no share.
create view projection.anomaly_changelog_shared as
select j.job_name, j.job_id, j.job_bucket, 'changelog_shared' as anomaly, t.changelog_partition::text as subject,
  format('Changelog partition %s was given to task %s and is that of task %s as well (log offset %s): each overwrites the other''s state.',
         t.changelog_partition, t.task_name, t.holder, t.holder_offset) as detail,
  t.record_time, t.message_time, t.source, t.host, t.username, j.stream_kind, j.incarnation, t.log_offset
from projection.job_log j
cross join lateral projection.changelog_turn(j.log_id) t
where j.stream_kind = 'coordinator' and t.holder <> t.task_name
  and coalesce(t.left_offset > t.log_offset and coalesce(t.left_time > t.record_time + interval '1 minute', true), t.left_offset is null);
