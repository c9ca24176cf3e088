-- The startpoints for the partitions of a task, pending or fanned out to it, whether they apply or not: for all key buckets of a partition.
-- created_ms is null for a fan-out, which was decided at an earlier start.
create function projection.explain_startpoints(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint,
                                               at timestamptz, task_name text)
returns table (system_name text, stream_name text, partition_id integer, startpoint_type text, startpoint_value text,
               is_fan_out boolean, is_for_task boolean, is_expired boolean, is_ambiguous boolean, created_ms bigint, since timestamptz,
               record_time timestamptz, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select c.system_name, c.stream_name, c.partition_id, c.startpoint_type, c.startpoint_value,
    false, c.task_name is not null, c.is_expired, c.is_ambiguous, c.created_ms, projection.to_time(c.created_ms),
    c.record_time, c.host, c.username, c.log_offset
  from projection.startpoint_candidate($1, $2, $3, $4, $5) c
  where c.task_name is null or c.task_name = $6
  union all
  select f.system_name, f.stream_name, f.partition_id, f.startpoint_type, f.startpoint_value,
    true, true, false, false, null, f.fanned_out_at, f.record_time, f.host, f.username, f.log_offset
  from projection.startpoint_fan_out_state($1, $2) f
  where f.task_name = $6
$$;

-- The last checkpoint event of a task for each log, version and grouper, deletes included, and why the task does not start from it
-- (null: it does). checkpoint_choice decides; here each other event gets its reason.
create function projection.explain_checkpoints(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, task_name text)
returns table (log_id integer, checkpoint_version integer, layout_id bigint, offsets text, offsets_odd text[], changelogs text[],
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
  ), candidate as (
    select h.*, q.versions, q.max_age, q.changelogs, q.grouper_factory as read_grouper, w.grouper_factory as chosen_grouper,
      w.checkpoint_version as chosen_version, w.log_offset as chosen_offset, w.record_time as chosen_time,
      array_position(q.versions, h.checkpoint_version) as rank, array_position(q.versions, w.checkpoint_version) as chosen_rank,
      case when h.record_time > w.record_time then projection.time_between(w.record_time, h.record_time)
        else projection.time_between(h.record_time, w.record_time) end as apart,
      s.config_value as setting, s.log_offset as setting_offset
    from head h
    cross join projection.checkpoint_rule($1, $2) q
    left join projection.config_state($1, $2) s on s.config_key = 'task.checkpoint.read.versions'
    left join (
      select x.* from head x join projection.checkpoint_choice($1, $2, $3, $4, null, false) c on (c.log_id, c.log_offset) = (x.log_id, x.log_offset)
      where c.task_name = $5) w on true
  )
  select t.log_id, t.checkpoint_version, t.layout_id, t.offsets, t.offsets_odd, t.changelogs, t.layout_id is null,
    case
      when t.log_offset = t.chosen_offset and t.log_id = coalesce($3, $1) then null
      when t.log_id <> coalesce($3, $1) then 'other place: the job has a checkpoint topic, so set-checkpoint messages are not read'
      when t.layout_id is null then 'deleted: the last event is a tombstone'
      when t.grouper_factory <> coalesce(t.read_grouper, t.chosen_grouper, t.grouper_factory)
        then 'other grouper: written by ' || t.grouper_factory || ', but the job groups by ' || coalesce(t.read_grouper, t.chosen_grouper)
      when t.rank is null
        then 'version not read: ' || coalesce('task.checkpoint.read.versions is ' || t.setting || ' (coordinator offset ' || t.setting_offset || ')',
          'task.checkpoint.read.versions is not set, so only version 1 is read')
      when t.chosen_offset is null then 'other grouper: written by ' || t.grouper_factory || ', but the newest checkpoint of the job by another'
      when t.rank < t.chosen_rank
        then 'stale version: version ' || t.chosen_version || ' at offset ' || t.chosen_offset || ' is newer by '
          || projection.duration_text(t.apart) || ', more than ' || projection.duration_text(t.max_age)
      else 'lower priority: version ' || t.chosen_version || ' at offset ' || t.chosen_offset || ' takes precedence, and this one is '
        || case when t.record_time > t.chosen_time and t.log_offset > t.chosen_offset
                then 'newer by only ' || projection.duration_text(t.apart) else 'not newer' end
    end,
    case
      when t.checkpoint_version = 0 then 'the last set-checkpoint of the task'
      when exists (select from candidate o where o.rank < t.rank and o.layout_id is not null and o.grouper_factory = t.grouper_factory)
        then 'version ' || t.checkpoint_version || ' has lower priority, but is newer by more than ' || projection.duration_text(t.max_age)
      else 'the last of version ' || t.checkpoint_version
    end,
    t.record_time, t.log_offset
  from candidate t
$$;

-- Every candidate of every rule for each partition of a task, in the order of the decision, with the reason why it wins or loses.
-- starting_offset_state decides; here the other candidates get their reasons.
create function projection.explain_starting_offsets(coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint,
                                                    checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint,
                                                    task_name text, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer,
               step integer, rule text, candidate text, outcome text, reason text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  with config as (
    select c.* from projection.config_state($1, $3) c
  ), part as (                                     -- decided_by null = not among the job's inputs
    select d.system_name, d.stream_name, d.partition_id, d.key_bucket, d.assigned_by, d.decided_by,
      case when d.decided_by is not null then d.startpoint_log_offset end as startpoint_log_offset, d.checkpoint_log_offset,
      max(d.startpoint_log_offset) filter (where d.decided_by is not null) over () as newest_startpoint
    from projection.starting_offset_state($1, $3, $4, $6, $8, $7) d
  ), setting as (                                  -- for each rule the first key that is set counts
    select s.system_name, s.stream_name, o.rule, lower(case o.rule when 'default' then projection.trimmed(c.config_value) else c.config_value end collate "C") as word, row_number() over w as place,
      first_value(o.config_key) over w as first_key, c.*
    from (select distinct p.system_name, p.stream_name from part p) s
    left join projection.stream_id((select jsonb_object_agg(c.config_key, c.config_value) from config c)) i
      on (i.system_name, i.stream_name) = (s.system_name, s.stream_name)
    cross join lateral projection.offset_setting(i.stream_id, s.system_name, s.stream_name) o
    join config c on c.config_key = o.config_key
    window w as (partition by s.system_name, s.stream_name, o.rule order by o.place)
  ), startpoint as (
    select s.* from projection.explain_startpoints($1, $3, $4, $6, $8, $7) s
  ), checkpoint as (
    select c.* from projection.explain_checkpoints($1, $3, $4, $6, $7) c
  ), opened as materialized (                      -- all offsets at once, not each by a scan of the others
    select c.log_id, c.log_offset, o.system_name, o.stream_name, o.partition_id, o.key_bucket, o.value
    from checkpoint c
    join projection.checkpoint_layout l on l.log_id = c.log_id and l.layout_id = c.layout_id
    cross join lateral projection.opened_input(l, c.offsets, c.offsets_odd) o
    where not o.is_state and not projection.is_changelog(c.checkpoint_version, o.system_name, o.stream_name, c.changelogs)
  ), candidate as (                                -- own_reason: why it loses, whatever the other candidates are
    select p.*, 0 as rule_place, 1::bigint as place, 'input' as rule, null as candidate, null as winning_reason,
      case when p.decided_by is null then 'dropped input: neither task.inputs nor task.broadcast.inputs names ' || p.system_name || '.' || p.stream_name
           else 'not assigned: the job has no assignments of partitions to tasks, so the task is assumed to read what its checkpoint names' end as own_reason,
      c.record_time, c.message_time, c.source, c.host, c.username, 'coordinator' as stream_kind, c.log_offset
    from part p
    left join (select c.* from config c where c.config_key in ('task.inputs', 'task.broadcast.inputs') order by c.log_offset desc limit 1) c
      on p.decided_by is null
    where p.decided_by is null or p.assigned_by = 'checkpoint'
    union all
    select p.*, 1, row_number() over (partition by p.system_name, p.stream_name, p.partition_id, p.key_bucket
        order by s.log_offset = p.startpoint_log_offset desc, s.is_fan_out, s.is_ambiguous, s.is_expired, s.created_ms desc, s.is_for_task desc, s.log_offset desc),
      'startpoint', s.startpoint_type || coalesce(' ' || s.startpoint_value, ''),
      case when s.is_fan_out then 'fanned out: fanned out to the task at ' || projection.time_text(s.since) || ', and not yet consumed'
           else 'requested: requested for ' || case when s.is_for_task then 'this task' else 'every task' end
             || ' at ' || projection.time_text(s.since) || ', and the next start fans it out' end,
      case when s.log_offset is null then 'none: no startpoint is for the partition'
           when s.log_offset = p.startpoint_log_offset and p.decided_by = 'startpoint' then null
           when s.log_offset = p.startpoint_log_offset then 'no place: it has no offset or time, so the input system would refuse it'
           when s.is_ambiguous then 'ambiguous: its key can be read as several partitions or tasks, so it is not fanned out'
           when s.is_expired then 'expired: created ' || projection.time_text(s.since) || ', at least '
             || projection.duration_text(projection.startpoint_expires_at(0) - projection.to_time(0)) || ' before'
           when s.is_fan_out then 'replaced: the next start replaces the fan-out of the task, because of the request at offset ' || p.newest_startpoint
           when w.created_ms > s.created_ms
             then 'older: created ' || coalesce(projection.duration_text(projection.time_between(s.since, w.since)) || ' ', '') || 'before the one at offset ' || w.log_offset
           when w.is_for_task and not s.is_for_task
             then 'task''s own: created at the same moment as the one at offset ' || w.log_offset || ', which is for this task alone'
           else 'older: created at the same moment as the one at offset ' || w.log_offset || ', but written before it' end,
      s.record_time, null, null, s.host, s.username, 'coordinator', s.log_offset
    from part p
    left join startpoint s on (s.system_name, s.stream_name, s.partition_id) = (p.system_name, p.stream_name, p.partition_id)
    left join startpoint w on w.log_offset = p.startpoint_log_offset
      and (w.system_name, w.stream_name, w.partition_id) = (p.system_name, p.stream_name, p.partition_id)
    union all
    select p.*, 2, coalesce(s.place, 1), 'reset', case when s.word = 'true' then coalesce(d.word, 'upcoming') end,
      'reset: ' || s.config_key || ' is true, so checkpoints are ignored',
      case when s.word is null then 'none: no setting resets the stream'
           when s.word <> 'true' then 'not set: ' || s.config_key || ' is not true'
           when s.place > 1 then 'other setting: ' || s.first_key || ' takes precedence' end,
      s.record_time, s.message_time, s.source, s.host, s.username, 'coordinator', s.log_offset
    from part p
    left join setting s on (s.system_name, s.stream_name, s.rule) = (p.system_name, p.stream_name, 'reset')
    left join setting d on (d.system_name, d.stream_name, d.rule, d.place) = (p.system_name, p.stream_name, 'default', 1)
    union all
    select p.*, 3, row_number() over (partition by p.system_name, p.stream_name, p.partition_id, p.key_bucket
        order by c.ignored_reason is null desc, x.value is null, c.log_offset desc),
      'checkpoint', 'after ' || x.value || case c.checkpoint_version when 0 then ' (set-checkpoint)' else ' (version ' || c.checkpoint_version || ')' end,
      'checkpoint: ' || c.chosen_because,
      case when c.log_offset is null then 'none: the task has no checkpoint'
           when x.value is null and not c.is_deleted then 'no offset: the checkpoint has none for this partition'
           else c.ignored_reason end,
      c.record_time, v.message_time, v.source, v.host, v.username, case when c.log_id = $1 then 'coordinator' else 'checkpoint' end, c.log_offset
    from part p
    left join checkpoint c on true
    left join opened x on (x.log_id, x.log_offset, x.system_name, x.stream_name, x.partition_id, x.key_bucket)
      = (c.log_id, c.log_offset, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
    left join projection.checkpoint_envelope v on v.log_id = c.log_id and v.log_offset = c.log_offset
    union all
    select p.*, 4, coalesce(s.place, 1), 'default', coalesce(s.word, 'upcoming'),
      'default: ' || coalesce('set by ' || s.config_key, 'nothing is set'),
      case when s.place > 1 then 'other setting: ' || s.first_key || ' takes precedence' end,
      s.record_time, s.message_time, s.source, s.host, s.username, 'coordinator', s.log_offset
    from part p
    left join setting s on (s.system_name, s.stream_name, s.rule) = (p.system_name, p.stream_name, 'default')
  )
  select t.system_name, t.stream_name, t.partition_id, t.key_bucket,
    (row_number() over (partition by t.system_name, t.stream_name, t.partition_id, t.key_bucket order by t.rule_place, t.place))::integer,
    t.rule, t.candidate,
    case when t.candidate is null then 'absent' when t.own_reason is null and t.rule = t.decided_by then 'wins' else 'loses' end,
    case
      when t.candidate is null then t.own_reason
      when t.decided_by is null then 'dropped input: the partition is not read'
      when t.own_reason is not null then t.own_reason
      when t.rule = t.decided_by then t.winning_reason
      when t.decided_by = 'startpoint' then 'startpoint: the one at offset ' || t.startpoint_log_offset || ' takes precedence'
      when t.decided_by = 'checkpoint' then 'checkpoint: the one at offset ' || t.checkpoint_log_offset || ' takes precedence'
      else 'reset: ' || case t.rule when 'default' then 'the reset already starts there' else 'the checkpoints of the stream are ignored' end
    end,
    t.record_time, t.message_time, t.source, t.host, t.username,
    case when t.log_offset is not null then t.stream_kind end,
    case when t.log_offset is not null then case t.stream_kind when 'checkpoint' then $5 else $2 end end,
    t.log_offset
  from candidate t
  where t.decided_by is not null or t.rule = 'input' or t.rule in ('startpoint', 'checkpoint') and t.candidate is not null
$$;

create function coordinator.explain(job_name text, job_id text, task_name text, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer,
               step integer, rule text, candidate text, outcome text, reason text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select r.*
  from (
    select n.coordinator_log, n.coordinator_incarnation, null::bigint as coordinator_cut, n.checkpoint_log, n.checkpoint_incarnation, null::bigint as checkpoint_cut
    from projection.current_job n where n.job_name = $1 and n.job_id = $2 and $4 is null
    union all
    select a.coordinator_log, a.coordinator_incarnation, a.coordinator_cut, a.checkpoint_log, a.checkpoint_incarnation, a.checkpoint_cut
    from projection.job_at($1, $2, $4) a where $4 is not null) j
  cross join lateral projection.explain_starting_offsets(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                         j.checkpoint_log, j.checkpoint_incarnation, j.checkpoint_cut, $3, coalesce($4, now())) r
  where $3 is not null                             -- for starting_offset_state, null is every task
  order by r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.step
$$;
comment on function coordinator.explain is E'Why a task starts each of its partitions where it does, at a time (null: now). One row per candidate, in the order of the decision: every startpoint, reset, checkpoint and default, with the event that it comes from. outcome is wins (one per partition, what starting_offset shows), loses or absent (no candidate for the rule). reason begins with a short code and a colon. A partition that is assigned but not among the job''s inputs has the rule input and no winner. If the job has no assignments at all, the partitions are those of its tasks'' checkpoints, and the first row of each, with the rule input, says so.\nKey: system_name, stream_name, partition_id, key_bucket, step.';
