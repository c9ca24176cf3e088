-- The streams that have settings under streams.<id>. Samza refuses a stream with several ids; here the first one counts.
create function projection.stream_id(config jsonb) returns table (system_name text, stream_name text, stream_id text)
language sql stable parallel safe as $$
  select s.system_name, s.stream_name, min(i.stream_id collate "C")
  from (select distinct split_part(k.config_key, '.', 2) from jsonb_object_keys($1) k(config_key) where k.config_key like 'streams.%') i(stream_id)
  cross join lateral projection.stream_of_id($1, i.stream_id) s
  where s.system_name is not null
  group by s.system_name, s.stream_name
$$;

-- The config keys that say where to start a stream without a checkpoint (`default`), and whether to ignore its checkpoints (`reset`). For
-- each rule the first key that is set counts. stream_id null: the stream has no settings of its own under streams.<id>.
create function projection.offset_setting(stream_id text, system_name text, stream_name text)
returns table (rule text, place integer, config_key text) language sql immutable parallel safe as $$
  values ('reset', 1, 'streams.' || $1 || '.samza.reset.offset'),
         ('reset', 2, 'systems.' || $2 || '.streams.' || $3 || '.samza.reset.offset'),
         ('reset', 3, 'systems.' || $2 || '.default.stream.samza.reset.offset'),
         ('default', 1, 'streams.' || $1 || '.samza.offset.default'),
         ('default', 2, 'systems.' || $2 || '.streams.' || $3 || '.samza.offset.default'),
         ('default', 3, 'systems.' || $2 || '.default.stream.samza.offset.default'),
         ('default', 4, 'systems.' || $2 || '.samza.offset.default')
$$;

-- Where a new deployment would start each partition of a task (null = of every task), and by which rule: startpoint, reset, checkpoint or
-- default. decided_by null = the partition is not among the job's inputs and is not read.
create function projection.starting_offset_state(coordinator_log integer, coordinator_cut bigint,
                                                 checkpoint_log integer, checkpoint_cut bigint, at timestamptz, only_task text)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, decided_by text,
               startpoint_type text, startpoint_value text, starting_offset text, startpoint_log_offset bigint, checkpoint_log_offset bigint,
               ignored_reason text, assigned_by text)
language sql stable parallel safe as $$
  with config as (
    select coalesce(jsonb_object_agg(c.config_key, c.config_value), '{}'::jsonb) as conf from projection.config_state($1, $2) c
  ), input as (
    select i.system_name, i.stream_name from config cross join lateral projection.job_input(config.conf) i
  ), part as (
    select t.*, (t.system_name, t.stream_name) in (select i.system_name, i.stream_name from input i)
      or not exists (select from config where config.conf ?| array['task.inputs', 'task.broadcast.inputs']) as is_input
    from projection.task_input($1, $2, $3, $4, $6) t
  ), setting as (                                  -- what config says about each stream
    select s.system_name, s.stream_name,
      config.conf ->> ('systems.' || s.system_name || '.samza.factory') = 'org.apache.samza.system.kafka.KafkaSystemFactory' as is_kafka,
      (select lower(config.conf ->> o.config_key) = 'true' from projection.offset_setting(i.stream_id, s.system_name, s.stream_name) o
       where o.rule = 'reset' and config.conf ->> o.config_key is not null order by o.place limit 1) as is_reset,
      coalesce((select lower(projection.trimmed(config.conf ->> o.config_key) collate "C") from projection.offset_setting(i.stream_id, s.system_name, s.stream_name) o
       where o.rule = 'default' and config.conf ->> o.config_key is not null order by o.place limit 1), 'upcoming') as default_type
    from (select distinct p.system_name, p.stream_name from part p) s cross join config
    left join lateral projection.stream_id(config.conf) i on (i.system_name, i.stream_name) = (s.system_name, s.stream_name)
  ), candidate as (                                -- pending startpoints for the partition of a task, best first
    select p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket, r.startpoint_type, r.startpoint_value, r.log_offset,
      case when r.is_ambiguous then 'ambiguous' when r.is_expired then 'expired' when row_number() over w > 1 then 'older' end as ignored
    from part p join projection.startpoint_candidate($1, $2, $3, $4, $5) r using (system_name, stream_name, partition_id)
    where p.is_input and (r.task_name is null or r.task_name = p.task_name)
    window w as (partition by p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket
                 order by r.is_ambiguous, r.is_expired, r.created_ms desc, r.task_name nulls last, r.log_offset desc)
  ), pending as (                                  -- the one that counts, and why the best of the others does not
    select c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket,
      max(c.startpoint_type) filter (where c.ignored is null) as startpoint_type,
      max(c.startpoint_value) filter (where c.ignored is null) as startpoint_value,
      max(c.log_offset) filter (where c.ignored is null) as log_offset,
      (array['older', 'expired', 'ambiguous'])[min(array_position(array['older', 'expired', 'ambiguous'], c.ignored))] as ignored
    from candidate c
    group by c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket
  ), chosen as (
    select p.*, r.ignored, old.log_offset is not null and n.task_name is not null as is_replaced,
      case when n.task_name is null then old.startpoint_type else r.startpoint_type end as startpoint_type,
      case when n.task_name is null then old.startpoint_value else r.startpoint_value end as startpoint_value,
      case when n.task_name is null then old.log_offset else r.log_offset end as startpoint_log_offset,
      k.input_offset, k.log_offset as checkpoint_log_offset
    from part p
    left join pending r on (r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket)
      = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
    left join (select distinct c.task_name from candidate c where c.ignored is null) n on n.task_name = p.task_name
    left join projection.startpoint_fan_out_state($1, $2) old    -- for all key buckets
      on (old.task_name, old.system_name, old.stream_name, old.partition_id) = (p.task_name, p.system_name, p.stream_name, p.partition_id)
      and ($6 is null or old.task_name = $6)
    left join projection.checkpoint_state($1, $2, $3, $4) k on (k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket)
      = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket) and k.input_offset is not null
      and ($6 is null or k.task_name = $6)
  ), decided as (
    select c.*, s.is_kafka, s.default_type, case
        when not c.is_input then null
        when c.startpoint_type is not null and (c.startpoint_type in ('oldest', 'upcoming') or c.startpoint_value <> '') then 'startpoint'
        when s.is_reset then 'reset'
        when c.input_offset is not null then 'checkpoint'
        else 'default' end as decided_by
    from chosen c join setting s using (system_name, stream_name)
  )
  select d.task_name, d.system_name, d.stream_name, d.partition_id, d.key_bucket, d.decided_by,
    case when d.decided_by = 'startpoint' then d.startpoint_type
         when d.decided_by <> 'checkpoint' and d.default_type in ('oldest', 'upcoming') then d.default_type end,
    case d.decided_by when 'startpoint' then d.startpoint_value end,
    case d.decided_by
      when 'startpoint' then case when d.startpoint_type = 'specific' then d.startpoint_value end
      when 'checkpoint' then
        case when d.is_kafka and d.input_offset ~ '^[+-]?[0-9]{1,19}$' then
          case when d.input_offset::numeric between -9223372036854775808 and 9223372036854775806 then (d.input_offset::numeric + 1)::text end end
      end,
    d.startpoint_log_offset,
    d.checkpoint_log_offset,
    case
      when d.startpoint_type is not null and d.decided_by <> 'startpoint' then 'no place'
      when d.ignored is not null then d.ignored
      when d.is_replaced then 'replaced'
      when d.input_offset is not null and d.decided_by in ('startpoint', 'reset') then d.decided_by
    end,
    d.assigned_by
  from decided d
$$;

create view coordinator.starting_offset as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.current_job j
cross join lateral projection.starting_offset_state(j.coordinator_log, coordinator_cut => null, checkpoint_log => j.checkpoint_log, checkpoint_cut => null, at => now(), only_task => null) r
where r.decided_by is not null;
comment on view coordinator.starting_offset is E'Where the next start, as a new deployment, would begin each partition of each task, and which rule decides: startpoint, reset, checkpoint or default, in this order. The partitions are those assigned to the tasks; if the job has no assignments at all (it uses only the managers, not Samza''s job coordinator), those in the tasks'' checkpoints. Streams that are not among the job''s inputs are left out. Expiry is judged now (in the as-of function: at its time).\nKey: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.starting_offset.decided_by is 'The rule that decides: `startpoint`, `reset` (config says to ignore the checkpoint), `checkpoint`, or `default` (from config, else upcoming).';
comment on column coordinator.starting_offset.startpoint_type is 'Where the task starts: `oldest`, `upcoming`, `specific` or `timestamp`. Null: a checkpoint decides, or the job''s config has another default, with which no task starts.';
comment on column coordinator.starting_offset.startpoint_value is 'The offset of `specific`, the time in ms since 1970 of `timestamp`. Null: another type, or another rule decides.';
comment on column coordinator.starting_offset.starting_offset is 'The first offset to read; for a checkpoint of a Kafka input, the one after it. Null: only the input system can tell.';
comment on column coordinator.starting_offset.startpoint_log_offset is 'The event of the coordinator stream that has the startpoint, also if the startpoint is ignored because of `no place`. Null: no startpoint applies.';
comment on column coordinator.starting_offset.checkpoint_log_offset is 'The event that has the partition''s checkpoint, whether it decides or not. Null: the partition has no checkpoint.';
comment on column coordinator.starting_offset.ignored_reason is 'Why the best candidate that does not decide is ignored. A startpoint: `older` (than another startpoint), `expired`, `ambiguous`, `replaced` (by a newer fan-out) or `no place` (it has no offset or time). A checkpoint: `startpoint` or `reset` (which take precedence). Null: no candidate is ignored.';
comment on column coordinator.starting_offset.assigned_by is 'What shows that the task reads the partition: `assignment`, or `checkpoint` if the job has no assignments.';

create function coordinator.starting_offset_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.starting_offset language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.starting_offset_state(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, at => $3, only_task => null) r
  where r.decided_by is not null
$$;
comment on function coordinator.starting_offset_as_of is 'coordinator.starting_offset at a time: the state after all events whose log_time is not later. Expiry is judged at that time.';
