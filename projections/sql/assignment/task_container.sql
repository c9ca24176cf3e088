-- The rows of projection.task_container as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.task_container_at(log_id integer, cut bigint, keys integer[]) returns setof projection.task_container language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'container_id', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-task-container-assignment', $3) m
$$;

create view coordinator.task_container as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.container_id,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.task_container r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.task_container is E'The container that runs each task.\nKey: job_name, job_id, task_name.';

create view coordinator.task_container_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as task_name, m.body ->> 'container_id' as container_id, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-task-container-assignment';
comment on view coordinator.task_container_history is E'Every event that assigned a task to a container or deleted the assignment.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, task_name.';
comment on column coordinator.task_container_history.container_id is 'The container that runs the task. Null: the event deletes the assignment.';

create view coordinator.task_container_validity as
select j.job_name, j.job_id, j.job_bucket, t.message_key as task_name, t.body ->> 'container_id' as container_id,
  t.valid_from, t.valid_to, t.log_offset as from_log_offset, t.next_offset as to_log_offset, j.incarnation
from projection.job_log j
cross join lateral projection.log_shown(j.log_id) s
cross join lateral projection.base_end(j.log_id) b
cross join lateral projection.message_validity(j.log_id, 'set-task-container-assignment', s.since, s.until) t
where j.stream_kind = 'coordinator' and coalesce(t.next_offset > b.last_offset, true);
comment on view coordinator.task_container_validity is E'Which container ran a task, and when: one row per assignment, however often it was written again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are those of task_container_as_of at T. Filters on the job and on the task use indexes.\nKey: job_name, job_id, task_name, container_id, incarnation, from_log_offset.';
