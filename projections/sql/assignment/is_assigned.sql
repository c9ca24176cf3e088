-- Whether a job has a living assignment of a partition to a task, now (cut null) or as of an offset of its coordinator stream. It
-- stops at the first one. Spellings of one key count as one, as in message_head.
create function projection.is_assigned(log_id integer, cut bigint) returns boolean language sql stable parallel safe as $$
  select exists (
    select from projection.event_key k
    cross join lateral (
      select x.body from projection.event_key s
      cross join lateral (
        select e.body, e.log_offset from projection.message_event e
        where e.log_id = s.log_id and e.key_id = s.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
        order by e.log_offset desc limit 1) x
      where s.log_id = k.log_id and s.message_type = 'set-task-partition-assignment' and not s.is_other
        and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key and x.body is not null
      order by x.log_offset desc limit 1) h
    where k.log_id = $1 and k.message_type = 'set-task-partition-assignment' and not k.is_other
      and jsonb_array_length(h.body -> 'task_names') > 0)
$$;
