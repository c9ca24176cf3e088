-- Tasks that an event of the coordinator stream makes start further back: what each would start from after it and before it, with
-- the first partition that has a lower offset. Strict, so that it is planned only where such an event is found. Each task's two
-- choices are brought together by a window: joined, one would be made again for each task of the other, for neither is estimated.
create function projection.checkpoint_choice_lowered(coordinator_log integer, log_offset bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (task_name text, checkpoint_version integer, log_offset bigint, earlier_version integer, earlier_log_offset bigint,
               partition_text text, input_offset text, earlier_offset text)
language sql stable strict parallel safe as $$
  select n.task_name, n.checkpoint_version, n.log_offset, n.earlier_version, n.earlier_log_offset,
    projection.partition_text(m.system_name, m.stream_name, m.partition_id, m.key_bucket), m.input_offset, m.earlier_offset
  from (
    select b.*, lag(b.checkpoint_version) over w as earlier_version, lag(b.log_offset) over w as earlier_log_offset,
      lag(b.layout_id) over w as earlier_layout_id, lag(b.offsets) over w as earlier_offsets, lag(b.offsets_odd) over w as earlier_offsets_odd
    from (
      select false as is_after, o.* from projection.checkpoint_choice($1, $2 - 1, $3, $4) o
      union all
      select true, a.* from projection.checkpoint_choice($1, $2, $3, $4) a) b
    window w as (partition by b.task_name order by b.is_after)) n
  cross join lateral (
    select l.* from projection.checkpoint_lowered(n.log_id, n.layout_id, n.offsets, n.offsets_odd, n.earlier_layout_id, n.earlier_offsets, n.earlier_offsets_odd) l
    order by l.system_name, l.stream_name, l.partition_id, l.key_bucket limit 1) m
  where n.is_after and n.log_offset < n.earlier_log_offset
$$;
