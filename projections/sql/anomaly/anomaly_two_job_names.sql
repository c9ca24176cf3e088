-- Coordinator streams on which job.name or job.id became another one.
create view projection.anomaly_two_job_names as
select j.job_name, j.job_id, j.job_bucket, 'two_job_names' as anomaly, n.config_key as subject,
  format('%s on %s was %s (log offset %s) and is %s now: two jobs share the topic, for _ is written as - in its name, and overwrite each other''s config, checkpoints and assignments.',
         n.config_key, j.stream_name, t.earlier_value, t.earlier_offset, t.config_value) as detail,
  t.record_time, t.message_time, t.source, t.host, t.username, j.stream_kind, j.incarnation, t.log_offset
from projection.job_log j
cross join (values ('job.name'), ('job.id')) n(config_key)
cross join lateral projection.config_turn(j.log_id, n.config_key) t
where j.stream_kind = 'coordinator' and t.config_value <> t.earlier_value;
