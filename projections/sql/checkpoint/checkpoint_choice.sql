-- The name of a store's changelog as `system.stream`. Config names the system before the stream, or in a setting of its own (null = not set).
create function projection.changelog_name(changelog text, system_name text) returns text language sql immutable parallel safe as $$
  select case when position('.' in $1) > 0 or $2 is null then $1 else $2 || '.' || $1 end
$$;

-- The store that a config key names the changelog of (null: none).
create function projection.changelog_store(config_key text) returns text language sql immutable parallel safe as $$
  select case when $1 like 'stores.%_.changelog' then substr($1, 8, length($1) - 17) end
$$;

-- The maximum age of a live checkpoint as Java's Long.parseLong reads it, in ms, otherwise Samza's default. Longer than any two times are
-- apart is as good as longer than an interval can be.
create function projection.max_age(config_value text) returns interval language sql stable parallel safe as $$
  select case when $1 ~ '^[+-]?[0-9]+$' and pg_input_is_valid($1, 'bigint')
    then greatest(least(case when pg_input_is_valid($1, 'bigint') then $1 end::bigint, 9000000000000000), -9000000000000000) * interval '1 millisecond'
    else interval '10 minutes' end
$$;

-- The config that checkpoint_rule reads, beside the changelogs of stores.
create function projection.checkpoint_settings() returns text[] language sql immutable parallel safe as $$
  select array['task.checkpoint.read.versions', 'task.live.checkpoint.max.age', 'job.systemstreampartition.grouper.factory',
               'job.changelog.system', 'job.default.system']
$$;

-- Whether a config key is one that checkpoint_rule reads.
create function projection.decides_checkpoints(config_key text) returns boolean language sql immutable parallel safe as $$
  select $1 = any (projection.checkpoint_settings()) or projection.changelog_store($1) is not null
$$;

-- What a job's config says about reading checkpoints (one row): the versions in order of priority, the one of lower priority if both 1
-- and 2 are read, how much newer it must be to be chosen, the grouper (null = config unknown), and the changelogs of the stores as
-- `system.stream`, with the names of their stores in the same order.
create function projection.checkpoint_rule(log_id integer, cut bigint)
returns table (versions integer[], lower_version integer, max_age interval, grouper_factory text, changelogs text[], store_names text[])
language sql stable parallel safe as $$
  select v.versions,
    case sign(array_position(v.versions, 1) - array_position(v.versions, 2)) when 1 then 1 when -1 then 2 end,
    projection.max_age(c.max_age),
    case when exists (
           select from projection.event_key k
           cross join lateral (
             select e.body from projection.message_event e
             where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
             order by e.log_offset desc limit 1) h
           where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and h.body is not null)
         then coalesce(c.grouper_factory, 'org.apache.samza.container.grouper.stream.GroupByPartitionFactory') end,
    s.changelogs, s.store_names
  from (
    select max(m.body ->> 'config_value') filter (where m.message_key = 'task.checkpoint.read.versions') as versions,
           max(m.body ->> 'config_value') filter (where m.message_key = 'task.live.checkpoint.max.age') as max_age,
           nullif(max(m.body ->> 'config_value') filter (where m.message_key = 'job.systemstreampartition.grouper.factory'), '') as grouper_factory,
           coalesce(max(m.body ->> 'config_value') filter (where m.message_key = 'job.changelog.system'),
                    max(m.body ->> 'config_value') filter (where m.message_key = 'job.default.system')) as changelog_system
    from (                                                              -- `offset 0`: key by key, however many the log has
      select array(
        select k.key_id from unnest(projection.checkpoint_settings()) n(config_key)
        cross join lateral (
          select k.key_id from projection.event_key k
          where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and left(k.message_key, 100) = n.config_key offset 0) k) as keys
      offset 0) y
    cross join lateral projection.message_head($1, $2, 'set-config', y.keys) m) c
  cross join lateral (
    select case when c.versions ~ '^\s*[0-9]+\s*(,\s*[0-9]+\s*)*[\s,]*$'               -- Java drops empty items at the end
                then string_to_array(rtrim(regexp_replace(regexp_replace(c.versions, '\s', '', 'g'),
                  '0*[1-9][0-9]{4,}', '0', 'g'), ','), ',')::integer[]                   -- 0 = a version that there never was
                else '{1}'::integer[] end as versions) v
  cross join lateral (
    select array_agg(projection.changelog_name(v.changelog, coalesce(c.changelog_system, '')) order by v.store_name collate "C") as changelogs,
           array_agg(v.store_name order by v.store_name collate "C") as store_names
    from (select projection.changelog_store(m.message_key) as store_name, projection.trimmed(m.body ->> 'config_value') as changelog
          from projection.message_head($1, $2, 'set-config', null) m
          where left(m.message_key, 100) like 'stores.%') v
    where v.store_name is not null and v.changelog <> '') s
$$;

-- What all logs of a job have in projection.job_log: the rule now, and whether the job has a checkpoint topic (one row).
create function projection.rule_of_job(job_suffix text)
returns table (has_checkpoint_topic boolean, versions integer[], lower_version integer, max_age interval, grouper_factory text,
               changelogs text[], store_names text[])
language sql stable parallel safe as $$
  select o.has_checkpoint_topic, r.*
  from (
    select max(p.log_id) filter (where p.stream_kind = 'coordinator') as coordinator_log,
      coalesce(bool_or(p.stream_kind = 'checkpoint'), false) as has_checkpoint_topic
    from projection.job_log p where p.job_suffix = $1 and p.is_current) o
  cross join lateral projection.checkpoint_rule(o.coordinator_log, null) r
$$;

-- Whether a partition in a checkpoint is that of a changelog: version 1 has changelogs beside the inputs, and only the config
-- (checkpoint_rule.changelogs) tells which are which.
create function projection.is_changelog(checkpoint_version integer, system_name text, stream_name text, changelogs text[])
returns boolean language sql immutable parallel safe as $$
  select $1 = 1 and $4 is not null and coalesce($2 || '.' || $3 = any ($4), false)
$$;

-- Whether a checkpoint is older than one of another version by more than the maximum age, so that the job does not read it although its
-- version has the higher priority.
create function projection.is_outdated(record_time timestamptz, other_record_time timestamptz, max_age interval)
returns boolean language sql immutable parallel safe as $$
  select coalesce(projection.time_between($1, $2) > $3, false)
$$;

-- The newest checkpoint event of each task, version and grouper that is not a delete, as of an offset (inclusive; cut null = the log's
-- end), of some keys (null = all).
create function projection.checkpoint_head(log_id integer, cut bigint, keys integer[])
returns table (log_id integer, key_id integer, task_name text, checkpoint_version integer, grouper_factory text, layout_id bigint,
               checkpoint_id text, offsets text, offsets_odd text[], record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select distinct on (k.message_key, k.checkpoint_version, k.grouper_factory) k.log_id, k.key_id, k.message_key, k.checkpoint_version, k.grouper_factory,
    h.layout_id, h.checkpoint_id, h.offsets, h.offsets_odd, h.record_time, h.log_offset
  from (
    select e.* from projection.event_key e where $3 is null and e.log_id = $1
    union all
    select e.* from projection.keys_of($1, $3) e) k
  cross join lateral (
    select e.* from projection.checkpoint_event e
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
    order by e.log_offset desc limit 1) h
  where k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other and h.layout_id is not null
  order by k.message_key, k.checkpoint_version, k.grouper_factory, h.log_offset desc
$$;

-- The grouper of the newest checkpoint on a checkpoint topic. Only if keys of the topic name several are the checkpoints compared.
create function projection.newest_grouper(log_id integer, cut bigint) returns text language sql stable parallel safe as $$
  select case when min(k.grouper_factory) = max(k.grouper_factory) and count(k.grouper_factory) = count(*) then min(k.grouper_factory) else (
    select n.grouper_factory from projection.checkpoint_head($1, $2, null) n where n.checkpoint_version > 0 order by n.log_offset desc limit 1) end
  from projection.event_key k
  where k.log_id = $1 and k.checkpoint_version > 0 and not k.is_other
$$;

-- The checkpoint event that each task starts from, of the tasks that some keys name (null = all). Versions are read in order of priority;
-- one of lower priority is chosen only if it comes later and the better one is outdated. Read from the checkpoint topic if the job has
-- one, else from the coordinator stream. by_log: by the rule that job_log has of the log, which is cheaper than to read the config.
create function projection.checkpoint_choice(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint,
                                             keys integer[], by_log boolean)
returns table (log_id integer, key_id integer, task_name text, checkpoint_version integer, layout_id bigint, checkpoint_id text,
               offsets text, offsets_odd text[], record_time timestamptz, log_offset bigint, changelogs text[], store_names text[])
language sql stable parallel safe as $$
  select r.log_id, r.key_id, r.task_name, r.checkpoint_version, r.layout_id, r.checkpoint_id, r.offsets, r.offsets_odd, r.record_time, r.log_offset,
    r.changelogs, r.store_names
  from (
    select h.*, q.max_age, q.changelogs, q.store_names, row_number() over w as place,
      lead(h.log_offset) over w as lower_offset, lead(h.record_time) over w as lower_time,
      lag(h.log_offset) over w as upper_offset, lag(h.record_time) over w as upper_time
    from (
      select j.versions, j.grouper_factory, j.max_age, j.changelogs, j.store_names from projection.job_log j where $6 and j.log_id = coalesce($3, $1)
      union all
      select r.versions, r.grouper_factory, r.max_age, r.changelogs, r.store_names from projection.checkpoint_rule($1, $2) r where not $6) q
    cross join lateral projection.checkpoint_head(coalesce($3, $1), case when $3 is null then $2 else $4 end, $5) h
    where case when $3 is null then h.checkpoint_version = 0
               else h.checkpoint_version = any (q.versions)
                 and h.grouper_factory = coalesce(q.grouper_factory, (select projection.newest_grouper($3, $4))) end
    window w as (partition by h.task_name order by array_position(q.versions, h.checkpoint_version), h.log_offset desc)) r
  where case r.place
    when 1 then not coalesce(r.lower_offset > r.log_offset and projection.is_outdated(r.record_time, r.lower_time, r.max_age), false)
    when 2 then coalesce(r.log_offset > r.upper_offset and projection.is_outdated(r.upper_time, r.record_time, r.max_age), false)
    else false end
$$;

-- The newest checkpoint events of some keys, if the tasks start from them without a choice: a job that reads one version, where a checkpoint
-- of the same key and layout comes after the one that the task has started from so far.
create function projection.next_checkpoint(log_id integer, keys integer[])
returns table (log_id integer, key_id integer, task_name text, checkpoint_version integer, layout_id bigint, checkpoint_id text,
               offsets text, offsets_odd text[], record_time timestamptz, log_offset bigint, changelogs text[], store_names text[])
language sql stable parallel safe as $$
  select j.log_id, k.key_id, k.message_key, k.checkpoint_version, h.layout_id, h.checkpoint_id, h.offsets, h.offsets_odd, h.record_time, h.log_offset,
    j.changelogs, j.store_names
  from projection.job_log j
  cross join lateral projection.keys_of(j.log_id, $2) k
  cross join lateral (
    select c.log_offset from projection.checkpoint c where c.log_id = k.log_id and c.key_id = k.key_id limit 1) c
  cross join lateral (
    select e.layout_id from projection.checkpoint_event e
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset = c.log_offset limit 1) p
  cross join lateral (
    select e.* from projection.checkpoint_event e where e.log_id = k.log_id and e.key_id = k.key_id order by e.log_offset desc limit 1) h
  where j.log_id = $1 and j.lower_version is null and h.layout_id = p.layout_id
$$;

-- The offsets of a checkpoint event that was chosen, each with what the layout says of it and who wrote it: of inputs, and of state.
create function projection.chosen_offset(log_id integer, log_offset bigint, checkpoint_version integer, layout_id bigint, offsets text, offsets_odd text[],
                                         changelogs text[], store_names text[])
returns table (n integer, is_state boolean, partition_id integer, key_bucket integer, system_name text, stream_name text, factory_name text,
               store_name text, marker_prefix text, marker_suffix text, value text,
               message_time timestamptz, source text, host text, username text)
language sql stable parallel safe as $$
  select o.n, o.is_state or projection.is_changelog($3, o.system_name, o.stream_name, $7), o.partition_id, o.key_bucket, o.system_name, o.stream_name,
    coalesce(o.factory_name, 'org.apache.samza.storage.KafkaChangelogStateBackendFactory'),
    coalesce(o.store_name, $8[array_position($7, o.system_name || '.' || o.stream_name)], ''),
    o.marker_prefix, o.marker_suffix, o.value, e.message_time, e.source, e.host, e.username
  from (select l from projection.checkpoint_layout l where l.log_id = $1 and l.layout_id = $4 offset 0) y(layout)
  cross join lateral projection.opened(y.layout, $5, $6) o
  left join lateral (
    select v.* from projection.checkpoint_envelope v where v.log_id = $1 and v.log_offset = $2 offset 0) e on true
$$;

-- The logs that a log's checkpoints are chosen with, if it is the one that its job's checkpoints are read from now; else no row.
create function projection.read_log(log_id integer) returns table (coordinator_log integer, checkpoint_log integer) language sql stable parallel safe as $$
  select j.coordinator_log, j.checkpoint_log
  from projection.job_log l
  cross join lateral (select c.* from projection.current_job c where c.job_suffix = l.job_suffix offset 0) j  -- `offset 0`: not all jobs
  where l.log_id = $1 and coalesce(j.checkpoint_log, j.coordinator_log) = $1
$$;

-- Whether checkpoints are chosen from the logs that they are read from now, up to their ends: the tables have them.
create function projection.is_read_now(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint)
returns boolean language sql stable parallel safe as $$
  select $2 is null and $4 is null
    and exists (select from projection.read_log(coalesce($3, $1)) l where l.coordinator_log is not distinct from $1)
$$;

-- The same rule at the time when a checkpoint was written: whether the job would have read it then. Nothing is looked up, because the fold
-- stores the record time of the task's last checkpoint of the other version (-infinity: it has none, or it was deleted; infinity: unknown).
create function projection.is_preferred(checkpoint_version integer, record_time timestamptz, other_version_time timestamptz,
                                        versions integer[], lower_version integer, max_age interval)
returns boolean language sql stable parallel safe as $$
  select case
    when not coalesce($1 = any ($4), false) then false
    when $1 is distinct from $5 then true
    when not isfinite($3) then $3 = '-infinity'
    else projection.is_outdated($3, $2, $6)
  end
$$;
