-- Every container that a task was ever assigned to, with when it was.
create view coordinator.task_container_validity as
select j.job_name, j.job_id, j.job_bucket, t.message_key as task_name, t.body ->> 'container_id' as container_id,
  v.valid_from, v.valid_to, t.log_offset as from_log_offset, t.next_offset as to_log_offset, j.incarnation
from projection.job_log j
cross join lateral projection.log_replaced_at(j.log_id) r
cross join lateral projection.message_turn(j.log_id, 'set-task-container-assignment', null) t
cross join lateral projection.log_validity(j.log_id, t.log_offset, t.next_offset, r.at) v
where j.stream_kind = 'coordinator' and j.is_complete and t.body is not null;
comment on view coordinator.task_container_validity is E'Which container ran a task, and from when to when: a row a container that the task was assigned to, however often the assignment was written again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are task_container_as_of T. A filter on the job is cheap, one on the task too.\nKey: task_name, container_id, incarnation, from_log_offset.';
