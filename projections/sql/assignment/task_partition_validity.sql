-- Every input partition that a task ever read, with when it did. A message lists all tasks of a partition: a task's stretch begins
-- with the first list that names it, and ends with the first that does not.
create view coordinator.task_partition_validity as
select j.job_name, j.job_id, j.job_bucket, s.system_name, s.stream_name, s.partition_id, s.key_bucket, s.task_name,
  v.valid_from, v.valid_to, s.log_offset as from_log_offset, s.end_offset as to_log_offset, j.incarnation
from projection.job_log j
cross join lateral projection.log_replaced_at(j.log_id) r
cross join lateral (
  select e.*, case when e.is_last then e.next_offset
                   else lead(e.next_offset) over (partition by e.system_name, e.stream_name, e.partition_id, e.key_bucket, e.task_name order by e.log_offset) end as end_offset
  from (
    select t.system_name, t.stream_name, t.partition_id, t.key_bucket, n.task_name, t.log_offset, t.next_offset,
      not coalesce(t.earlier_body -> 'task_names' ? n.task_name, false) as is_first, not coalesce(t.next_body -> 'task_names' ? n.task_name, false) as is_last
    from projection.message_turn(j.log_id, 'set-task-partition-assignment', null) t
    cross join lateral jsonb_array_elements_text(t.body -> 'task_names') n(task_name)) e
  where e.is_first or e.is_last) s
cross join lateral projection.log_validity(j.log_id, s.log_offset, s.end_offset, r.at) v
where j.stream_kind = 'coordinator' and j.is_complete and s.is_first;
comment on view coordinator.task_partition_validity is E'Which task read an input partition, and from when to when: a row a stretch without a break, however often the assignment was written again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are task_partition_as_of T. A filter on the job is cheap, one on the partition too.\nKey: system_name, stream_name, partition_id, key_bucket, task_name, incarnation, from_log_offset.';
