-- Every changelog partition given to a task, with the task's partition before and with the task that was given the same
-- partition last: when that one was given another or none (null = not yet).
create function projection.changelog_turn(log_id integer)
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
      where k.log_id = $1 and k.message_type = 'set-changelog' and not k.is_other
      window own as (partition by k.message_key order by e.log_offset)) g) s
  where s.changelog_partition is not null
  window own as (partition by s.task_name order by s.log_offset), same as (partition by s.changelog_partition order by s.log_offset)
$$;
