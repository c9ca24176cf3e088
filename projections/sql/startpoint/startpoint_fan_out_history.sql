-- Every event that changed the fan-out of a task, in a log up to an offset (null = the whole log), with the record before it.
create function projection.fan_out_change(log_id integer, cut bigint)
returns table (task_name text, body jsonb, previous_body jsonb, record_time timestamptz, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select t.message_key, t.body, t.previous_body, t.record_time, t.host, t.username, t.log_offset
  from projection.message_change($1, 'samza-startpoint-v1-fan-out', message_key => null) t
  where t.log_offset <= coalesce($2, 9223372036854775807)
$$;

-- Every startpoint that was fanned out to a task: what a fan-out record has and the task's previous record had not.
create function projection.startpoint_fanned_out(log_id integer, cut bigint)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
               startpoint_type text, startpoint_value text, created_ms bigint, fanned_out_ms bigint,
               record_time timestamptz, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select t.task_name, f.system_name, f.stream_name, f.partition_id, f.key_bucket, f.startpoint_type, f.startpoint_value, f.created_ms,
    (t.body ->> 'fanned_out_ms')::bigint, t.record_time, t.host, t.username, t.log_offset
  from projection.fan_out_change($1, $2) t
  cross join lateral jsonb_array_elements(t.body -> 'fan_outs') x(entry)
  cross join lateral jsonb_to_record(x.entry)
    f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
  where not coalesce(t.previous_body -> 'fan_outs', '[]'::jsonb) @> jsonb_build_array(x.entry)
$$;

-- Whether a startpoint that left its task's fan-out was consumed, refused or deleted, judged by the last checkpoint that the task had
-- written by then (checkpoint_time, input_offset) and the one before it (earlier_time, earlier_offset).
-- Samza removes a partition from the fan-out only after the task has read something of it. An equal offset therefore means that the
-- task read the partition again. A higher offset means that the task continued from the old position (refused), or that it read again
-- and got past that position (consumed); it is refused if the task would have had to read more again than the offset advanced
-- (`timestamp`: unknown, assumed to be more), or if the startpoint lies beyond the new offset.
-- Without a known checkpoint: consumed. Without a checkpoint since the fan-out: deleted.
create function projection.startpoint_outcome(startpoint_type text, startpoint_value text, fanned_out_at timestamptz,
                                              checkpoint_time timestamptz, input_offset text, earlier_time timestamptz, earlier_offset text)
returns text language sql immutable parallel safe as $$
  select case
    when $4 is null then 'consumed'
    when $4 < $3 or $5 is null then 'deleted'
    when o.new > o.old and case
      when $1 = 'upcoming' then false
      when $1 = 'timestamp' then projection.to_time(o.start::bigint) <= $6
      when o.start is null then true
      when o.start <= o.old then o.old - o.start + 1 > o.new - o.old
      else o.new < o.start end then 'refused'
    else 'consumed' end
  from (select projection.offset_number($5)::numeric, projection.offset_number($7)::numeric,
          case when $1 = 'oldest' then 0 else projection.offset_number($2)::numeric end) o(new, old, start)
$$;

-- Every startpoint that left its task's fan-out, and why (status): superseded by a later fan-out of the task, else consumed,
-- refused or deleted (see startpoint_outcome), with the two checkpoints that show it.
create function projection.startpoint_removed(log_id integer, cut bigint)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
               startpoint_type text, startpoint_value text, created_ms bigint, fanned_out_ms bigint, status text,
               input_offset text, checkpoint_log_offset bigint, earlier_offset text, earlier_log_offset bigint,
               record_time timestamptz, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select t.task_name, f.system_name, f.stream_name, f.partition_id, f.key_bucket, f.startpoint_type, f.startpoint_value, f.created_ms,
    (t.previous_body ->> 'fanned_out_ms')::bigint,
    case when t.body -> 'fanned_out_ms' <> t.previous_body -> 'fanned_out_ms' then 'superseded'
         else projection.startpoint_outcome(f.startpoint_type, f.startpoint_value, projection.to_time((t.previous_body ->> 'fanned_out_ms')::bigint),
                                            c.record_time, o.input_offset, c.earlier_time, o.earlier_offset) end,
    o.input_offset, c.log_offset, o.earlier_offset, c.earlier_log_offset,
    t.record_time, t.host, t.username, t.log_offset
  from projection.fan_out_change($1, $2) t
  left join lateral projection.checkpoint_before(
    $1, t.task_name, t.record_time, t.log_offset, projection.to_time((t.previous_body ->> 'fanned_out_ms')::bigint)) c on true
  cross join lateral jsonb_array_elements(t.previous_body -> 'fan_outs') x(entry)
  cross join lateral jsonb_to_record(x.entry)
    f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
  cross join lateral (select
    projection.partition_offset(c.log_id, c.layout_id, c.offsets, c.offsets_odd, f.system_name, f.stream_name, f.partition_id),
    projection.partition_offset(c.earlier_log_id, c.earlier_layout_id, c.earlier_offsets, c.earlier_offsets_odd, f.system_name, f.stream_name, f.partition_id)
  ) o(input_offset, earlier_offset)
  where not coalesce(t.body -> 'fan_outs', '[]'::jsonb) @> jsonb_build_array(x.entry)
$$;
