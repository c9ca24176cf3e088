-- Every fan-out record of a log up to an offset (null = all of it), each with what stood in the record of the same task before.
create function projection.startpoint_turn(log_id integer, cut bigint)
returns table (task_name text, body jsonb, previous_body jsonb, record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select k.message_key, e.body, b.body, e.record_time, e.log_offset
  from projection.event_key k
  cross join lateral (                                     -- `offset 0`: key by key, not each event of a stretch with all keys
    select m.* from projection.message_event m
    where m.log_id = k.log_id and m.key_id = k.key_id and m.log_offset <= coalesce($2, 9223372036854775807) offset 0) e
  left join lateral (
    select x.body from projection.event_key s
    cross join lateral (
      select m.body, m.log_offset from projection.message_event m
      where m.log_id = s.log_id and m.key_id = s.key_id and m.log_offset < e.log_offset
      order by m.log_offset desc limit 1) x
    where s.log_id = k.log_id and s.message_type = 'samza-startpoint-v1-fan-out' and not s.is_other
      and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key
    order by x.log_offset desc limit 1) b on true
  where k.log_id = $1 and k.message_type = 'samza-startpoint-v1-fan-out' and not k.is_other
$$;
