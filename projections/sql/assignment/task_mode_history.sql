-- Every mode ever given to a task, and its deletions.
create view coordinator.task_mode_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as task_name, m.body ->> 'task_mode' as task_mode, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-task-mode-assignment';
comment on view coordinator.task_mode_history is E'Every mode ever given to a task, and its deletions.\nKey: provenance.';
comment on column coordinator.task_mode_history.task_mode is 'Active or Standby; standby tasks are called Standby-<task>-<n>. Null: the event deletes the task''s mode.';
