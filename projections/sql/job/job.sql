-- Every job with its two logs.
create view coordinator.job as
select j.job_name, j.job_id, j.job_bucket,
  (select l.stream_name from projection.job_log l where l.log_id = j.coordinator_log) as coordinator_stream,
  (select l.stream_name from projection.job_log l where l.log_id = j.checkpoint_log) as checkpoint_stream,
  (select count(*) from projection.config_state(j.coordinator_log, null, null)) as config_count,
  coalesce((select nullif(count(distinct t.task_name), 0) from projection.task_container_state(j.coordinator_log, null, null) t),
           (select count(distinct c.task_name) from projection.checkpoint_choice(j.coordinator_log, null, j.checkpoint_log, null) c)) as task_count,
  (select count(distinct t.container_id) from projection.task_container_state(j.coordinator_log, null, null) t) as container_count,
  (select min(e.record_time) from projection.job_log l cross join lateral (
     select a.record_time from projection.archived_event a where a.log_id = l.log_id order by a.log_offset limit 1) e
   where l.log_id in (j.coordinator_log, j.checkpoint_log)) as first_record_time,
  (select max(e.record_time) from projection.job_log l cross join lateral (
     select a.record_time from projection.archived_event a where a.log_id = l.log_id order by a.log_offset desc limit 1) e
   where l.log_id in (j.coordinator_log, j.checkpoint_log)) as last_record_time
from projection.job_now j;
comment on view coordinator.job is E'Every job with its two logs and how much stands on them now.\nKey: the job.';
comment on column coordinator.job.coordinator_stream is 'The current log of coordinator messages. Null: none was read yet.';
comment on column coordinator.job.checkpoint_stream is 'The current log of checkpoints. Null: none was read yet, or the job has none.';
comment on column coordinator.job.config_count is 'How many config keys are set.';
comment on column coordinator.job.task_count is 'How many tasks are assigned to containers; where none is, how many have a checkpoint.';
comment on column coordinator.job.container_count is 'How many containers have tasks.';
comment on column coordinator.job.first_record_time is 'Time of the first event that the archive holds of the two logs. Null: timestamptz can''t hold it, or there is no event.';
comment on column coordinator.job.last_record_time is 'Time of the newest event of the two logs. Null: timestamptz can''t hold it, or there is no event.';
