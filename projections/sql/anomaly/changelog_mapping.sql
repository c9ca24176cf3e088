-- Every assignment of a changelog partition to a task, with the task's previous partition, and with the task that last had the same
-- partition (holder) and when that task left it for another one or none (null = not yet). Standby tasks, which restore the partition of
-- their active task, are left out.
create function projection.changelog_assignment(log_id integer)
returns table (task_name text, changelog_partition integer, earlier_partition integer, earlier_offset bigint,
               holder text, holder_offset bigint, left_offset bigint, left_time timestamptz,
               record_time timestamptz, message_time timestamptz, source text, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select s.task_name, s.changelog_partition, lag(s.changelog_partition) over own, lag(s.log_offset) over own,
    lag(s.task_name) over same, lag(s.log_offset) over same, lag(s.left_offset) over same, lag(s.left_time) over same,
    s.record_time, s.message_time, s.source, s.host, s.username, s.log_offset
  from (
    select g.*, case when g.is_left then g.next_offset end as left_offset, case when g.is_left then g.next_time end as left_time
    from (
      select k.message_key as task_name, p.changelog_partition, e.record_time, e.message_time, e.source, e.host, e.username, e.log_offset,
        lead(e.log_offset) over own as next_offset, lead(e.record_time) over own as next_time,
        lead(p.changelog_partition) over own is distinct from p.changelog_partition as is_left
      from projection.event_key k
      join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
      cross join lateral (select (e.body ->> 'changelog_partition')::integer) p(changelog_partition)
      where k.log_id = $1 and k.message_type = 'set-changelog' and not k.is_other and k.message_key not in (
        select s.message_key from projection.event_key s
        join projection.message_event m on m.log_id = s.log_id and m.key_id = s.key_id
        where s.log_id = $1 and s.message_type = 'set-task-mode-assignment' and not s.is_other and m.body ->> 'task_mode' = 'Standby')
      window own as (partition by k.message_key order by e.log_offset)) g) s
  where s.changelog_partition is not null
  window own as (partition by s.task_name order by s.log_offset), same as (partition by s.changelog_partition order by s.log_offset)
$$;

-- Tasks whose changelog partition changed, or that got the partition that another task had left.
create view projection.anomaly_changelog_remapped as
select j.job_name, j.job_id, j.job_bucket, 'changelog_remapped' as anomaly, t.task_name as subject,
  case when t.earlier_partition <> t.changelog_partition
       then format('The changelog partition of task %s changed from %s (log offset %s) to %s', t.task_name, t.earlier_partition, t.earlier_offset, t.changelog_partition)
       else format('Task %s was assigned changelog partition %s', t.task_name, t.changelog_partition) end
  || case when f.is_given then format(', which was that of task %s (log offset %s)', t.holder, t.holder_offset) else '' end
  || ': the task restores the state in that partition, not its own.' as detail,
  t.record_time, t.message_time, t.source, t.host, t.username, j.stream_kind, j.incarnation, t.log_offset
from projection.job_log j
cross join lateral projection.changelog_assignment(j.log_id) t
cross join lateral (
  select coalesce(t.holder <> t.task_name and (t.left_offset < t.log_offset or projection.time_between(t.record_time, t.left_time) <= interval '1 minute'), false)) f(is_given)
where j.stream_kind = 'coordinator' and (f.is_given or t.earlier_partition <> t.changelog_partition);

-- Changelog partitions that were assigned to a task while another task had them. A start writes its mapping task by task: if the other
-- task leaves the partition within a minute, it was not shared.
create view projection.anomaly_changelog_shared as
select j.job_name, j.job_id, j.job_bucket, 'changelog_shared' as anomaly, t.changelog_partition::text as subject,
  format('Changelog partition %s was assigned to task %s, but is also that of task %s (log offset %s): each overwrites the state of the other.',
         t.changelog_partition, t.task_name, t.holder, t.holder_offset) as detail,
  t.record_time, t.message_time, t.source, t.host, t.username, j.stream_kind, j.incarnation, t.log_offset
from projection.job_log j
cross join lateral projection.changelog_assignment(j.log_id) t
where j.stream_kind = 'coordinator' and t.holder <> t.task_name
  and coalesce(t.left_offset > t.log_offset and coalesce(projection.time_between(t.record_time, t.left_time) > interval '1 minute', true), t.left_offset is null);
