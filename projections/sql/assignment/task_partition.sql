-- The rows of projection.task_partition as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.task_partition_at(log_id integer, cut bigint, keys integer[]) returns setof projection.task_partition language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, t.n::integer, m.partition_id, m.key_bucket,
    m.system_name, m.stream_name, t.task_name, m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-task-partition-assignment', $3) m
  cross join lateral jsonb_array_elements_text(m.body -> 'task_names') with ordinality t(task_name, n)
$$;

create view coordinator.task_partition as
select j.job_name, j.job_id, j.job_bucket, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.task_partition r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.task_partition is E'Which tasks read which input partition: one row per partition and task, since several tasks read a partition of a broadcast input. Partitions of inputs that the job no longer has stay here, as they do on the log.\nKey: job_name, job_id, system_name, stream_name, partition_id, key_bucket, task_name.';

create view coordinator.task_partition_history as
select m.job_name, m.job_id, m.job_bucket, m.system_name, m.stream_name, m.partition_id, m.key_bucket, t.task_name, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
left join lateral jsonb_array_elements_text(m.body -> 'task_names') t(task_name) on true
where m.message_type = 'set-task-partition-assignment';
comment on view coordinator.task_partition_history is E'Every event that set or deleted the tasks of an input partition: one row per task. Each event replaces all tasks of the partition; a delete or an empty list is one row without a task.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, system_name, stream_name, partition_id, key_bucket, task_name.';
comment on column coordinator.task_partition_history.task_name is 'A task that reads the partition from this event on. Null: the event deletes the tasks of the partition, or their list is empty.';

-- A message lists all tasks of a partition: the interval of a task begins with the first list that has the task, and ends with the first
-- that has not.
create view coordinator.task_partition_validity as
select j.job_name, j.job_id, j.job_bucket, s.system_name, s.stream_name, s.partition_id, s.key_bucket, s.task_name,
  v.valid_from, v.valid_to, s.log_offset as from_log_offset, s.end_offset as to_log_offset, j.incarnation
from projection.job_log j
cross join lateral projection.log_shown(j.log_id) r
cross join lateral projection.base_end(j.log_id) b
cross join lateral (
  select e.*, case when e.is_last then e.next_offset
                   else lead(e.next_offset) over (partition by e.system_name, e.stream_name, e.partition_id, e.key_bucket, e.task_name order by e.log_offset) end as end_offset
  from (
    select t.system_name, t.stream_name, t.partition_id, t.key_bucket, n.task_name, t.log_offset, t.next_offset,
      not coalesce(t.previous_body -> 'task_names' ? n.task_name, false) as is_first, not coalesce(t.next_body -> 'task_names' ? n.task_name, false) as is_last
    from projection.message_change(j.log_id, 'set-task-partition-assignment', message_key => null) t
    cross join lateral jsonb_array_elements_text(t.body -> 'task_names') n(task_name)) e
  where e.is_first or e.is_last) s
cross join lateral projection.log_validity(j.log_id, s.log_offset, s.end_offset, r.since, r.until) v
where j.stream_kind = 'coordinator' and s.is_first and coalesce(s.end_offset > b.last_offset, true);
comment on view coordinator.task_partition_validity is E'Which task read an input partition, and when: one row per uninterrupted interval, however often the assignment was written again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are those of task_partition_as_of at T. Filters on the job and on the partition use indexes.\nKey: job_name, job_id, system_name, stream_name, partition_id, key_bucket, task_name, incarnation, from_log_offset.';
