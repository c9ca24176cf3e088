-- Every container that a task was ever given to, and deletions.
create view coordinator.task_container_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as task_name, m.body ->> 'container_id' as container_id, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-task-container-assignment';
comment on view coordinator.task_container_history is E'Every container that a task was ever given to, and deletions.\nKey: provenance.';
comment on column coordinator.task_container_history.container_id is 'The container that runs the task. Null: the event deletes the task''s container.';
