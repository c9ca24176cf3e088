-- Whether a job prefers a checkpoint of its second version: no event of the better version of the task stands before it, or a
-- delete, or one that is more than the max age older. Asked only where checkpoint_event.other_version_time is null: rows that
-- a program before revision 0006 has folded.
create function projection.is_lower_preferred(log_id integer, task_name text, grouper_factory text, better_version integer,
                                              record_time timestamptz, log_offset bigint, max_age interval)
returns boolean language sql stable parallel safe as $$
  select coalesce((
    select coalesce(b.layout_id is null or $5 - b.record_time > $7, false)
    from projection.event_key u
    cross join lateral (
      select e.log_offset, e.record_time, e.layout_id from projection.checkpoint_event e
      where e.log_id = u.log_id and e.key_id = u.key_id and e.log_offset < $6
      order by e.log_offset desc limit 1) b
    where u.log_id = $1 and u.message_type in ('checkpoint', 'checkpoint-v2') and not u.is_other
      and left(u.message_key, 100) = left($2, 100) and u.message_key = $2
      and u.grouper_factory = $3 and u.checkpoint_version = $4
    order by b.log_offset desc limit 1), true)
$$;
