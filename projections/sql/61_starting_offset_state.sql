-- Where each task would start each of its partitions in a new deployment, and by which rule: startpoint, reset, checkpoint, default.
create function projection.starting_offset_state(coordinator_log integer, coordinator_cut bigint,
                                                 checkpoint_log integer, checkpoint_cut bigint, at timestamptz)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, decided_by text,
               startpoint_type text, startpoint_value text, starting_offset text, startpoint_log_offset bigint, checkpoint_log_offset bigint,
               ignored_reason text)
language sql stable parallel safe as $$
  with config as (
    select coalesce(jsonb_object_agg(c.config_key, c.config_value), '{}'::jsonb) as conf from projection.config_state($1, null, $2) c
  ), input as (
    select i.system_name, i.stream_name from config cross join lateral projection.job_input(config.conf) i
  ), part as (
    select t.task_name, t.system_name, t.stream_name, t.partition_id, t.key_bucket from projection.task_partition_state($1, null, $2) t
    where (t.system_name, t.stream_name) in (select i.system_name, i.stream_name from input i)
      or not exists (select from config where config.conf ?| array['task.inputs', 'task.broadcast.inputs'])
  ), request as (
    select r.*, coalesce(projection.to_time(least(r.created_ms, 9223372036811575807) + 43200000) < $5, r.created_ms < 0) as is_expired from projection.startpoint_request($1, $2) r
  ), candidate as (                                -- requests that name the partition of a task, best first
    select p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket, r.startpoint_type, r.startpoint_value, r.log_offset,
      row_number() over (partition by p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket
                         order by r.created_ms desc, r.task_name nulls last, r.log_offset desc) as place
    from part p join request r using (system_name, stream_name, partition_id)
    where (r.task_name is null or r.task_name = p.task_name) and not r.is_expired and not r.is_ambiguous
  ), fan_out as (
    select f.* from projection.startpoint_fan_out_state($1, null, $2) f
  ), chosen as (
    select p.*, config.conf,
      c.startpoint_type is not null as is_requested, old.log_offset is not null as has_fan_out, old.log_offset is not null and n.is_new as is_replaced,
      coalesce(c.startpoint_type, case when not n.is_new then old.startpoint_type end) as startpoint_type,
      case when c.startpoint_type is not null then c.startpoint_value when not n.is_new then old.startpoint_value end as startpoint_value,
      case when c.startpoint_type is not null then c.log_offset when not n.is_new then old.log_offset end as startpoint_log_offset,
      k.input_offset, k.log_offset as checkpoint_log_offset
    from part p cross join config
    left join candidate c on c.place = 1 and (c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket)
      = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
    cross join lateral (select exists (select from candidate x where x.task_name = p.task_name) as is_new) n
    left join fan_out old on (old.task_name, old.system_name, old.stream_name, old.partition_id, old.key_bucket)
      = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
    left join projection.checkpoint_state($1, null, $2, $3, null, $4) k on (k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket)
      = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket) and k.input_offset is not null
  ), decided as (
    select c.*, case
        when c.startpoint_type is not null then 'startpoint'
        when lower(btrim(coalesce(c.conf ->> ('systems.' || c.system_name || '.streams.' || c.stream_name || '.samza.reset.offset'),
                                  c.conf ->> ('systems.' || c.system_name || '.default.stream.samza.reset.offset')))) = 'true' then 'reset'
        when c.input_offset is not null then 'checkpoint'
        else 'default' end as decided_by,
      coalesce(c.conf ->> ('systems.' || c.system_name || '.streams.' || c.stream_name || '.samza.offset.default'),
               c.conf ->> ('systems.' || c.system_name || '.default.stream.samza.offset.default'),
               c.conf ->> ('systems.' || c.system_name || '.samza.offset.default'), 'upcoming') as default_type
    from chosen c
  )
  select d.task_name, d.system_name, d.stream_name, d.partition_id, d.key_bucket, d.decided_by,
    case d.decided_by when 'startpoint' then d.startpoint_type when 'checkpoint' then null else lower(btrim(d.default_type)) end,
    case d.decided_by when 'startpoint' then d.startpoint_value end,
    case d.decided_by
      when 'startpoint' then case when d.startpoint_type = 'specific' then d.startpoint_value end
      when 'checkpoint' then case when d.input_offset ~ '^[0-9]{1,30}$'
        and d.conf ->> ('systems.' || d.system_name || '.samza.factory') = 'org.apache.samza.system.kafka.KafkaSystemFactory'
        then (d.input_offset::numeric + 1)::text end
      end,
    case d.decided_by when 'startpoint' then d.startpoint_log_offset end,
    d.checkpoint_log_offset,
    case
      when exists (select from candidate x where x.place > 1 and (x.task_name, x.system_name, x.stream_name, x.partition_id, x.key_bucket)
        = (d.task_name, d.system_name, d.stream_name, d.partition_id, d.key_bucket)) then 'older'
      when exists (select from request r where r.is_expired and not r.is_ambiguous and (r.system_name, r.stream_name, r.partition_id)
        = (d.system_name, d.stream_name, d.partition_id) and (r.task_name is null or r.task_name = d.task_name)) then 'expired'
      when exists (select from request r join projection.startpoint_reading p on p.log_id = $1 and p.key_id = r.key_id
        where r.is_ambiguous and (p.system_name, p.stream_name, p.partition_id) = (d.system_name, d.stream_name, d.partition_id)
          and (p.task_name is null or p.task_name = d.task_name)) then 'ambiguous'
      when d.is_replaced then 'replaced'
      when d.input_offset is not null and d.decided_by in ('startpoint', 'reset') then d.decided_by
    end
  from decided d
$$;
