-- Settings that may be set only once, and were changed nevertheless.
create view projection.anomaly_write_once_changed as
select j.job_name, j.job_id, j.job_bucket, 'write_once_changed' as anomaly, c.config_key as subject,
  format('%s was %s%s and is %s now, by %s: %s; set it back, or give the job a new job.id.',
         c.config_key, c.earlier_value,
         case when c.earlier_offset is null then ' (the default)' else format(' (log offset %s)', c.earlier_offset) end,
         coalesce(c.config_value, 'not set'),
         case when c.source is null and c.host is null and c.username is null then 'an unknown writer'
              else format('%s on host %s as user %s', coalesce(c.source, 'an unknown source'), coalesce(c.host, 'unknown'), coalesce(c.username, 'unknown')) end,
         case when c.is_changelog then 'the next start restores the store from another changelog, without the state that it has'
              else 'the next start groups partitions and tasks in another way, so that checkpoints and state may belong to other tasks' end) as detail,
  c.record_time, c.message_time, c.source, c.host, c.username, j.stream_kind, j.incarnation, c.log_offset
from projection.job_log j
cross join lateral (
  select g.*, false as is_changelog from projection.grouping_changed(j.log_id) g
  union all
  select m.*, true from projection.changelog_moved(j.log_id) m) c
where j.stream_kind = 'coordinator';
