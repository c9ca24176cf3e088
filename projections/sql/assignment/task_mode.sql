-- The relation coordinator.task_mode of one log, now (cut null) or as of an offset.
create function projection.task_mode_state(log_id integer, incarnation integer, cut bigint)
returns table (task_name text, task_mode text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'task_mode',
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-task-mode-assignment') m
$$;

create view coordinator.task_mode as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.current_job j cross join lateral projection.task_mode_state(j.coordinator_log, j.coordinator_incarnation, cut => null) r;
comment on view coordinator.task_mode is E'Whether each task is active or a standby.\nKey: job_name, job_id, task_name.';
comment on column coordinator.task_mode.task_mode is 'Active or Standby; the name of a standby task is Standby-<task>-<n>.';

create view coordinator.task_mode_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as task_name, m.body ->> 'task_mode' as task_mode, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-task-mode-assignment';
comment on view coordinator.task_mode_history is E'Every event that set or deleted the mode of a task.\nKey: job_name, job_id, stream_kind, incarnation, log_offset.';
comment on column coordinator.task_mode_history.task_mode is 'Active or Standby; the name of a standby task is Standby-<task>-<n>. Null: the event deletes the mode.';
