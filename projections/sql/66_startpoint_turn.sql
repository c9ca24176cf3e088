-- Every fan-out record of a log up to an offset (null = all of it), each with what stood in the record of the same task before.
create function projection.startpoint_turn(log_id integer, cut bigint)
returns table (task_name text, body jsonb, previous_body jsonb, record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select k.message_key, e.body, lag(e.body) over (partition by k.message_key order by e.log_offset), e.record_time, e.log_offset
  from projection.event_key k
  join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
  where k.log_id = $1 and k.message_type = 'samza-startpoint-v1-fan-out' and not k.is_other and e.log_offset <= coalesce($2, 9223372036854775807)
$$;
