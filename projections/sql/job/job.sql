create view coordinator.job as
select j.job_name, j.job_id, j.job_bucket,
  (select l.stream_name from projection.job_log l where l.log_id = j.coordinator_log) as coordinator_stream,
  (select l.stream_name from projection.job_log l where l.log_id = j.checkpoint_log) as checkpoint_stream,
  (select count(*) from projection.config c where c.log_id = j.coordinator_log) as config_count,
  (select count(*) from projection.job_task(j.coordinator_log, j.checkpoint_log)) as task_count,
  (select count(distinct t.container_id) from projection.task_container t where t.log_id = j.coordinator_log) as container_count,
  (select min(e.record_time) from projection.job_log l cross join lateral (
     select a.record_time from projection.archived_event a where a.log_id = l.log_id order by a.log_offset limit 1) e
   where l.log_id in (j.coordinator_log, j.checkpoint_log)) as first_record_time,
  (select max(e.record_time) from projection.job_log l cross join lateral (
     select a.record_time from projection.archived_event a where a.log_id = l.log_id order by a.log_offset desc limit 1) e
   where l.log_id in (j.coordinator_log, j.checkpoint_log)) as last_record_time
from projection.current_job j;
comment on view coordinator.job is E'Each job with its two logs and a summary of its current state.\nKey: job_name, job_id.';
comment on column coordinator.job.coordinator_stream is 'The stream of the current coordinator log. Null: none has been read yet.';
comment on column coordinator.job.checkpoint_stream is 'The stream of the current checkpoint log. Null: none has been read yet, or the job has none.';
comment on column coordinator.job.config_count is 'The number of config keys that are set.';
comment on column coordinator.job.task_count is 'The number of tasks that exist: those assigned to containers; if none is, those assigned to partitions; else those with a checkpoint of the grouper that the job uses.';
comment on column coordinator.job.container_count is 'The number of containers that have tasks.';
comment on column coordinator.job.first_record_time is 'Time of the first event in the archive of the two logs. Null: there is no event, or timestamptz cannot represent the time.';
comment on column coordinator.job.last_record_time is 'Time of the newest event of the two logs. Null: there is no event, or timestamptz cannot represent the time.';
