-- The newest living checkpoint event of each task, version and grouper: now (cut null), or as of an offset (inclusive).
create function projection.checkpoint_head(log_id integer, cut bigint)
returns table (log_id integer, task_name text, checkpoint_version integer, grouper_factory text, layout_id integer,
               checkpoint_id text, offsets text, offsets_odd text[], record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select distinct on (h.task_name, h.checkpoint_version, h.grouper_factory)
    h.log_id, h.task_name, h.checkpoint_version, h.grouper_factory, h.layout_id, h.checkpoint_id, h.offsets, h.offsets_odd, h.record_time, h.log_offset
  from (
    select c.log_id, k.message_key as task_name, k.checkpoint_version, k.grouper_factory, c.layout_id,
      c.checkpoint_id, c.offsets, c.offsets_odd, c.record_time, c.log_offset
    from projection.checkpoint_current c
    join projection.event_key k on k.log_id = c.log_id and k.key_id = c.key_id
    where $2 is null and c.log_id = $1 and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other
    union all
    select e.log_id, k.message_key, k.checkpoint_version, k.grouper_factory, e.layout_id,
      e.checkpoint_id, e.offsets, e.offsets_odd, e.record_time, e.log_offset
    from projection.event_key k
    cross join lateral (
      select e.* from projection.checkpoint_event e
      where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= $2
      order by e.log_offset desc limit 1) e
    where $2 is not null and k.log_id = $1 and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other and e.layout_id is not null) h
  order by h.task_name, h.checkpoint_version, h.grouper_factory, h.log_offset desc
$$;
