-- The rows of projection.task_mode as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.task_mode_at(log_id integer, cut bigint, keys integer[]) returns setof projection.task_mode language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'task_mode', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-task-mode-assignment', $3) m
$$;

create view coordinator.task_mode as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.task_mode,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.task_mode r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.task_mode is E'Whether each task is active or a standby.\nKey: job_name, job_id, task_name.';
comment on column coordinator.task_mode.task_mode is 'Active or Standby; the name of a standby task is Standby-<task>-<n>.';

create view coordinator.task_mode_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as task_name, m.body ->> 'task_mode' as task_mode, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-task-mode-assignment';
comment on view coordinator.task_mode_history is E'Every event that set or deleted the mode of a task.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, task_name.';
comment on column coordinator.task_mode_history.task_mode is 'Active or Standby; the name of a standby task is Standby-<task>-<n>. Null: the event deletes the mode.';
