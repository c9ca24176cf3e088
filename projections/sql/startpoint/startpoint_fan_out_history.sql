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
    m.fanned_out_ms, t.record_time, t.host, t.username, t.log_offset
  from projection.fan_out_change($1, $2) t
  cross join lateral (                                     -- `offset 0`: once for each event, not for each of its startpoints
    select (t.body ->> 'fanned_out_ms')::bigint, coalesce(t.previous_body -> 'fan_outs', '[]'::jsonb) offset 0) m(fanned_out_ms, previous)
  cross join lateral jsonb_array_elements(t.body -> 'fan_outs') x(entry)
  cross join lateral jsonb_to_record(x.entry)
    f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
  where not m.previous @> jsonb_build_array(x.entry)
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
    m.fanned_out_ms,
    case when m.is_superseded then 'superseded'
         else projection.startpoint_outcome(f.startpoint_type, f.startpoint_value, projection.to_time(m.fanned_out_ms),
                                            c.record_time, f.input_offset, c.earlier_time, f.earlier_offset) end,
    f.input_offset, c.log_offset, f.earlier_offset, c.earlier_log_offset,
    t.record_time, t.host, t.username, t.log_offset
  from projection.fan_out_change($1, $2) t
  cross join lateral (                                     -- `offset 0`: once for each event, not for each of its startpoints
    select (t.previous_body ->> 'fanned_out_ms')::bigint, t.body -> 'fanned_out_ms' <> t.previous_body -> 'fanned_out_ms',
      coalesce(t.body -> 'fan_outs', '[]'::jsonb) offset 0) m(fanned_out_ms, is_superseded, fan_outs)
  left join lateral projection.checkpoint_before($1, t.task_name, t.record_time, t.log_offset, projection.to_time(m.fanned_out_ms)) c on true
  cross join lateral (                                     -- `offset 0`: the offsets of all partitions at once, not of each by a scan of the layout
    select x.entry, f.*, o.input_offset, b.input_offset as earlier_offset
    from jsonb_array_elements(t.previous_body -> 'fan_outs') x(entry)
    cross join lateral jsonb_to_record(x.entry)
      f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
    left join projection.partition_offsets(c.log_id, c.layout_id, c.offsets, c.offsets_odd) o using (system_name, stream_name, partition_id)
    left join projection.partition_offsets(c.earlier_log_id, c.earlier_layout_id, c.earlier_offsets, c.earlier_offsets_odd) b using (system_name, stream_name, partition_id)
    offset 0) f
  where not m.fan_outs @> jsonb_build_array(f.entry)
$$;
