-- Every list of tasks that an input partition was ever given to, a row a task; deletes and empty lists are one row without a task.
create view coordinator.task_partition_history as
select m.job_name, m.job_id, m.job_bucket, m.system_name, m.stream_name, m.partition_id, m.key_bucket, t.task_name, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
left join lateral jsonb_array_elements_text(m.body -> 'task_names') t(task_name) on true
where m.message_type = 'set-task-partition-assignment';
comment on view coordinator.task_partition_history is E'Every list of tasks that an input partition was ever given to: a row a task. Each event replaces the partition''s whole list; deletes and empty lists are one row without a task.\nKey: provenance, system_name, stream_name, partition_id, key_bucket, task_name.';
comment on column coordinator.task_partition_history.task_name is 'A task that reads the partition from this event on. Null: the event deletes the partition''s list, or the list is empty.';
