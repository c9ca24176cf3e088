-- Tasks that an event of the coordinator stream makes start further back: what each would start from after it and before it, with
-- the first partition that has a lower offset. Strict, so that it is planned only where such an event is found.
create function projection.checkpoint_choice_lowered(coordinator_log integer, log_offset bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (task_name text, checkpoint_version integer, log_offset bigint, earlier_version integer, earlier_log_offset bigint,
               partition_text text, input_offset text, earlier_offset text)
language sql stable strict parallel safe as $$
  select n.task_name, n.checkpoint_version, n.log_offset, o.checkpoint_version, o.log_offset,
    projection.partition_text(m.system_name, m.stream_name, m.partition_id, m.key_bucket), m.input_offset, m.earlier_offset
  from projection.checkpoint_choice($1, $2, $3, $4) n
  join projection.checkpoint_choice($1, $2 - 1, $3, $4) o on o.task_name = n.task_name
  cross join lateral (
    select l.* from projection.checkpoint_lowered(n.log_id, n.layout_id, n.offsets, n.offsets_odd, o.layout_id, o.offsets, o.offsets_odd) l
    order by l.system_name, l.stream_name, l.partition_id, l.key_bucket limit 1) m
  where n.log_offset < o.log_offset
$$;
