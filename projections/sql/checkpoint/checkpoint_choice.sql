-- The checkpoint event that each task starts from: read versions in order; a lower one wins only if it is later and
-- more than the max age newer by record time. Read from the checkpoint topic if the job has one, else `set-checkpoint`.
create function projection.checkpoint_choice(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (log_id integer, task_name text, checkpoint_version integer, layout_id integer, checkpoint_id text,
               offsets text, offsets_odd text[], record_time timestamptz, log_offset bigint, changelogs text[], store_names text[])
language sql stable parallel safe as $$
  select r.log_id, r.task_name, r.checkpoint_version, r.layout_id, r.checkpoint_id, r.offsets, r.offsets_odd, r.record_time, r.log_offset,
    r.changelogs, r.store_names
  from (
    select h.*, q.max_age, q.changelogs, q.store_names, row_number() over w as place,
      lead(h.log_offset) over w as lower_offset, lead(h.record_time) over w as lower_time,
      lag(h.log_offset) over w as upper_offset, lag(h.record_time) over w as upper_time
    from projection.checkpoint_rule($1, $2) q
    cross join lateral projection.checkpoint_head(coalesce($3, $1), case when $3 is null then $2 else $4 end) h
    where case when $3 is null then h.checkpoint_version = 0
               else h.checkpoint_version = any (q.versions) and h.grouper_factory = coalesce(q.grouper_factory,
                 (select n.grouper_factory from projection.checkpoint_head($3, $4) n where n.checkpoint_version > 0 order by n.log_offset desc limit 1)) end
    window w as (partition by h.task_name order by array_position(q.versions, h.checkpoint_version), h.log_offset desc)) r
  where case r.place
    when 1 then not coalesce(r.lower_offset > r.log_offset and r.lower_time - r.record_time > r.max_age, false)
    when 2 then coalesce(r.log_offset > r.upper_offset and r.record_time - r.upper_time > r.max_age, false)
    else false end
$$;
