-- The last checkpoint event of a task in each place, version and grouper, deletes too, and why the task does not read
-- it (null: it does; its choice is made in checkpoint_choice alone).
create function projection.checkpoint_tried(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, task_name text)
returns table (log_id integer, checkpoint_version integer, layout_id integer, offsets text, offsets_odd text[], changelogs text[],
               is_deleted boolean, ignored_reason text, chosen_because text, record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  with head as (
    select distinct on (k.log_id, k.checkpoint_version, k.grouper_factory) k.log_id, k.checkpoint_version, k.grouper_factory,
      e.layout_id, e.offsets, e.offsets_odd, e.record_time, e.log_offset
    from projection.event_key k
    cross join lateral (
      select e.* from projection.checkpoint_event e
      where e.log_id = k.log_id and e.key_id = k.key_id
        and e.log_offset <= coalesce(case when k.log_id = $1 then $2 else $4 end, 9223372036854775807)
      order by e.log_offset desc limit 1) e
    where k.log_id in ($1, $3) and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other
      and left(k.message_key, 100) = left($5, 100) and k.message_key = $5
    order by k.log_id, k.checkpoint_version, k.grouper_factory, e.layout_id is null, e.log_offset desc
  ), tried as (
    select h.*, q.versions, q.max_age, q.changelogs, q.grouper_factory as read_grouper, w.grouper_factory as chosen_grouper,
      w.checkpoint_version as chosen_version, w.log_offset as chosen_offset, w.record_time as chosen_time,
      array_position(q.versions, h.checkpoint_version) as rank, array_position(q.versions, w.checkpoint_version) as chosen_rank,
      case when h.record_time > w.record_time then h.record_time - w.record_time else w.record_time - h.record_time end as apart,
      s.config_value as setting, s.log_offset as setting_offset
    from head h
    cross join projection.checkpoint_rule($1, $2) q
    left join projection.config_state($1, null, $2) s on s.config_key = 'task.checkpoint.read.versions'
    left join (
      select x.* from head x join projection.checkpoint_choice($1, $2, $3, $4) c on (c.log_id, c.log_offset) = (x.log_id, x.log_offset)
      where c.task_name = $5) w on true
  )
  select t.log_id, t.checkpoint_version, t.layout_id, t.offsets, t.offsets_odd, t.changelogs, t.layout_id is null,
    case
      when t.log_offset = t.chosen_offset and t.log_id = coalesce($3, $1) then null
      when t.log_id <> coalesce($3, $1) then 'other place: the job has a checkpoint topic, so set-checkpoint messages are not read'
      when t.layout_id is null then 'deleted: the last word is a tombstone'
      when t.grouper_factory <> coalesce(t.read_grouper, t.chosen_grouper, t.grouper_factory)
        then 'other grouper: written by ' || t.grouper_factory || ', and the job groups by ' || coalesce(t.read_grouper, t.chosen_grouper)
      when t.rank is null
        then 'version not read: ' || coalesce('task.checkpoint.read.versions at coordinator offset ' || t.setting_offset || ' says ' || t.setting,
          'task.checkpoint.read.versions is not set, so only version 1 is read')
      when t.chosen_offset is null then 'other grouper: written by ' || t.grouper_factory || ', and the newest checkpoint of the job by another'
      when t.rank < t.chosen_rank
        then 'stale version: version ' || t.chosen_version || ' at offset ' || t.chosen_offset || ' is newer by '
          || projection.duration_text(t.apart) || ', more than ' || projection.duration_text(t.max_age)
      else 'lower priority: version ' || t.chosen_version || ' at offset ' || t.chosen_offset || ' is read first, and this one is '
        || case when t.record_time > t.chosen_time and t.log_offset > t.chosen_offset
                then 'newer by only ' || projection.duration_text(t.apart) else 'not newer' end
    end,
    case
      when t.checkpoint_version = 0 then 'the last set-checkpoint of the task'
      when exists (select from tried o where o.rank < t.rank and o.layout_id is not null and o.grouper_factory = t.grouper_factory)
        then 'version ' || t.checkpoint_version || ' is read later, but is the newer by more than ' || projection.duration_text(t.max_age)
      else 'the last of version ' || t.checkpoint_version
    end,
    t.record_time, t.log_offset
  from tried t
$$;
