-- Every startpoint that left its task's fan-out, and what became of it: superseded by a later fan-out of the task, else
-- consumed, refused or deleted, told by the task's checkpoints (see startpoint_fate), which stand beside.
create function projection.startpoint_removed(log_id integer, cut bigint)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
               startpoint_type text, startpoint_value text, created_ms bigint, fanned_out_ms bigint, status text,
               input_offset text, checkpoint_log_offset bigint, earlier_offset text, earlier_log_offset bigint,
               record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select t.task_name, f.system_name, f.stream_name, f.partition_id, f.key_bucket, f.startpoint_type, f.startpoint_value, f.created_ms,
    (t.previous_body ->> 'fanned_out_ms')::bigint,
    case when t.body -> 'fanned_out_ms' <> t.previous_body -> 'fanned_out_ms' then 'superseded'
         else projection.startpoint_fate(f.startpoint_type, f.startpoint_value, projection.to_time((t.previous_body ->> 'fanned_out_ms')::bigint),
                                         c.record_time, o.input_offset, c.earlier_time, o.earlier_offset) end,
    o.input_offset, c.log_offset, o.earlier_offset, c.earlier_log_offset,
    t.record_time, t.log_offset
  from projection.startpoint_turn($1, $2) t
  left join lateral projection.checkpoint_before($1, t.task_name, t.record_time, t.log_offset) c on true
  cross join lateral jsonb_array_elements(t.previous_body -> 'fan_outs') x(entry)
  cross join lateral jsonb_to_record(x.entry)
    f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
  cross join lateral (select
    projection.partition_offset(c.log_id, c.layout_id, c.offsets, c.offsets_odd, f.system_name, f.stream_name, f.partition_id, f.key_bucket),
    projection.partition_offset(c.log_id, c.earlier_layout_id, c.earlier_offsets, c.earlier_offsets_odd, f.system_name, f.stream_name, f.partition_id, f.key_bucket)
  ) o(input_offset, earlier_offset)
  where not coalesce(t.body -> 'fan_outs', '[]'::jsonb) @> jsonb_build_array(x.entry)
$$;
