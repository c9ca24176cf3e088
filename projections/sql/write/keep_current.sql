-- What a batch of events changes in the tables of current rows: the rows of the keys of its messages and checkpoints. A change of the config
-- that decides which checkpoints count changes those of all tasks. No JIT: its costs are those of all keys, and it compiles for longer than
-- these queries run. No memoize: they look up each key once.
create function projection.keep_current(of_log integer, messages integer[], checkpoints integer[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_memoize = off as $$
begin
  if cardinality(messages) > 0 then
    perform projection.keep_messages(of_log, messages);
    if exists (select from projection.keys_of(of_log, messages) k where projection.decides_checkpoints(k.message_key))
      or exists (select from projection.job_log j where j.log_id = of_log       -- the first key is set, or the last one deleted
                 and (j.grouper_factory is null) <> ((select c.key_id from projection.config c where c.log_id = of_log order by c.key_id limit 1) is null))
    then
      perform projection.keep_checkpoints_of_job(j.job_suffix)
      from projection.job_log j cross join lateral projection.rule_of_job(j.job_suffix) r
      where j.log_id = of_log and j.is_current
        and (j.versions, j.lower_version, j.max_age, j.grouper_factory, j.changelogs, j.store_names)
          is distinct from (r.versions, r.lower_version, r.max_age, r.grouper_factory, r.changelogs, r.store_names);
    end if;
  end if;
  if cardinality(checkpoints) > 0 then
    perform projection.keep_checkpoints(of_log, checkpoints);
  end if;
end $$;

-- The checkpoints that the tasks which some keys name start from (null = all), if the log is the one that its job's checkpoints are read from.
-- If config does not say which grouper counts, and several are in use, a checkpoint of one task can change which count of all tasks. Most
-- keys need no choice (see next_checkpoint).
create function projection.keep_checkpoints(of_log integer, touched integer[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_memoize = off as $$
declare
  logs record;
  keys integer[];
begin
  if touched is not null then
    touched := projection.keep_next(of_log, touched);
    if touched = '{}' then
      return;
    end if;
  end if;
  select l.*, case when j.grouper_factory is null then (
      select min(k.grouper_factory) <> max(k.grouper_factory) from projection.event_key k
      where k.log_id = of_log and k.checkpoint_version > 0 and not k.is_other) end as have_several_groupers
  into logs
  from projection.read_log(of_log) l join projection.job_log j on j.log_id = of_log;
  if not found then
    return;
  end if;
  if touched is not null and logs.have_several_groupers is not true then
    keys := array(
      select distinct s.key_id from projection.job_log j cross join lateral projection.keys_of(j.log_id, touched) k
      cross join lateral (
        select s.key_id from projection.event_key s
        where s.log_id = of_log and s.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not s.is_other
          and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key offset 0) s
      where j.log_id = of_log and (k.checkpoint_version = 0 or k.checkpoint_version = any (j.versions)));
    if keys = '{}' then
      return;
    end if;
  end if;
  perform projection.keep_chosen(of_log, logs.coordinator_log, logs.checkpoint_log, keys);
end $$;

-- Waits for the projectors of a job's current logs, which may not see a change yet, and holds the job's name: of two changes, the later one
-- sees the earlier. In this order, the coordinator's first, since a projector has its log's position when it wants the rest. Rebuilds and
-- retentions, which block projectors by another lock, are not waited for.
create function projection.hold_job(suffix text) returns void language plpgsql as $$
begin
  perform from projection.position p join projection.job_log l on l.log_id = p.log_id
  where l.job_suffix = suffix and l.is_current order by l.stream_kind desc, l.log_id for no key update of p;
  perform eventlog.hold('job ' || suffix);
end $$;

-- All checkpoints of a job, after its config or its current logs have changed. Waits for all sessions that write the log that they are in.
create function projection.keep_checkpoints_of_job(suffix text) returns void language plpgsql as $$
declare
  read_now integer[];
begin
  perform projection.hold_job(suffix);
  read_now := array(
    select l.log_id from projection.job_log l where l.job_suffix = suffix and exists (select from projection.read_log(l.log_id)));
  update projection.job_log j
  set (has_checkpoint_topic, versions, lower_version, max_age, grouper_factory, changelogs, store_names) = (select r.* from projection.rule_of_job(suffix) r)
  where j.job_suffix = suffix;
  perform from projection.position p where p.log_id = any (read_now) for update;
  delete from projection.checkpoint c using projection.job_log l where l.job_suffix = suffix and c.log_id = l.log_id and l.log_id <> all (read_now);
  delete from projection.state_checkpoint c using projection.job_log l where l.job_suffix = suffix and c.log_id = l.log_id and l.log_id <> all (read_now);
  perform projection.keep_checkpoints(r.log_id, null) from unnest(read_now) r(log_id);
end $$;
