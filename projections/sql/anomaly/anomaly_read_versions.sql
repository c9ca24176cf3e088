-- Tasks that start further back since the versions to read are others.
create view projection.anomaly_read_versions as
select j.job_name, j.job_id, j.job_bucket, 'checkpoint_version_rollback' as anomaly, n.task_name as subject,
  format('task.checkpoint.read.versions was %s and is %s now: task %s starts from its checkpoint of version %s (log offset %s), '
         'not from that of version %s (log offset %s), and reads again from %s in %s instead of %s.',
         coalesce(t.held_value, 'not set'), coalesce(t.config_value, 'not set'), n.task_name, n.checkpoint_version, n.log_offset,
         n.earlier_version, n.earlier_log_offset, n.input_offset, n.partition_text, n.earlier_offset) as detail,
  t.record_time, t.message_time, t.source, t.host, t.username, j.stream_kind, j.incarnation, t.log_offset
from projection.job_log j
cross join lateral projection.config_turn(j.log_id, 'task.checkpoint.read.versions') t
cross join lateral (
  select l.log_id, c.cut from projection.job_log l cross join lateral projection.log_cut(l.log_id, t.record_time) c
  where l.job_suffix = j.job_suffix and l.stream_kind = 'checkpoint' and l.is_complete and c.cut >= 0
  order by l.incarnation desc limit 1) p
cross join lateral projection.checkpoint_choice_lowered(j.log_id, t.log_offset, p.log_id, p.cut) n
where j.stream_kind = 'coordinator' and t.config_value is distinct from t.held_value;
