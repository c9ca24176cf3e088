-- Every startpoint ever requested on a log, up to an offset (null = all of it), and what ended the request: the next value of its
-- key in any spelling, or a tombstone of its own spelling. What its key means is judged as of that end.
create function projection.startpoint_asked(log_id integer, cut bigint)
returns table (system_name text, stream_name text, partition_id integer, task_name text, is_ambiguous boolean,
               startpoint_type text, startpoint_value text, created_ms bigint, record_time timestamptz, log_offset bigint,
               is_overwritten boolean, end_time timestamptz, end_offset bigint)
language sql stable parallel safe as $$
  select r.system_name, r.stream_name, r.partition_id, r.task_name, r.is_ambiguous,
    e.body ->> 'startpoint_type', e.body ->> 'startpoint_value', (e.body ->> 'created_ms')::bigint, e.record_time, e.log_offset,
    n.is_overwritten, n.record_time, n.log_offset
  from projection.event_key k
  join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
  left join lateral (
    select x.* from projection.event_key s
    cross join lateral (
      select m.body is not null as is_overwritten, m.record_time, m.log_offset from projection.message_event m
      where m.log_id = s.log_id and m.key_id = s.key_id and m.log_offset > e.log_offset and m.log_offset <= coalesce($2, 9223372036854775807)
        and (m.body is not null or m.key_id = e.key_id)
      order by m.log_offset limit 1) x
    where s.log_id = k.log_id and s.message_type = 'samza-startpoint-v1' and not s.is_other
      and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key
    order by x.log_offset limit 1) n on true
  left join lateral projection.checkpoint_log_at(k.log_id, coalesce(n.log_offset, $2)) p on true
  cross join lateral projection.startpoint_meaning(k.log_id, k.key_id, coalesce(n.log_offset, $2), p.log_id, p.cut) r
  where k.log_id = $1 and k.message_type = 'samza-startpoint-v1' and not k.is_other
    and e.body is not null and e.log_offset <= coalesce($2, 9223372036854775807)
$$;
