-- The input partitions whose offset is a lower number in one checkpoint row than in another one of the same log.
-- Texts are compared before numbers, which takes a tenth of the time: a lower number is shorter, or sorts first, or begins with
-- 0 or a sign.
create function projection.lowered_partition(log_id integer, layout_id bigint, offsets text, offsets_odd text[],
                                              earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[])
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer, input_offset text, earlier_offset text)
language sql stable parallel safe as $$
  select l.system_name, l.stream_name, l.partition_id, l.key_bucket, o.input_offset, o.earlier_offset
  from unnest(string_to_array($3, E'\x1f'), string_to_array($6, E'\x1f')) with ordinality o(input_offset, earlier_offset, n)
  join projection.layout_entry l on l.log_id = $1 and l.layout_id = $2 and l.n = o.n and not l.is_state
  where $2 = $5 and $3 <> $6 and ((length(o.input_offset), o.input_offset collate "C") < (length(o.earlier_offset), o.earlier_offset collate "C")
      or o.input_offset < '1' collate "C")
    and projection.offset_number(o.input_offset) < projection.offset_number(o.earlier_offset)
  union all
  select l.system_name, l.stream_name, l.partition_id, l.key_bucket, o.input_offset, o.earlier_offset
  from projection.layout_entry l
  join projection.layout_entry e on e.log_id = $1 and e.layout_id = $5 and not e.is_state
    and (e.system_name, e.stream_name, e.partition_id, e.key_bucket) = (l.system_name, l.stream_name, l.partition_id, l.key_bucket)
  cross join lateral (select projection.offset_of($3, $4, l.n), projection.offset_of($6, $7, e.n)) o(input_offset, earlier_offset)
  where ($2 <> $5 or $3 is null or $6 is null) and l.log_id = $1 and l.layout_id = $2 and not l.is_state
    and ((length(o.input_offset), o.input_offset collate "C") < (length(o.earlier_offset), o.earlier_offset collate "C")
      or o.input_offset < '1' collate "C")
    and projection.offset_number(o.input_offset) < projection.offset_number(o.earlier_offset)
$$;

-- The value that a config key had at a record time; null: it was not set. An event without a record time counts from its log_time on: a
-- delete that a resync found has none.
create function projection.config_value_at(log_id integer, config_key text, until timestamptz)
returns text language sql stable parallel safe as $$
  select e.body ->> 'config_value'
  from projection.event_key k
  cross join lateral (
    select e.body, e.log_offset from projection.message_event e
    where e.log_id = k.log_id and e.key_id = k.key_id
      and coalesce(e.record_time, (select t.at from projection.log_time_at(e.log_id, e.log_offset) t)) <= $3
    order by e.log_offset desc limit 1) e
  where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other
    and left(k.message_key, 100) = left($2, 100) and k.message_key = $2
  order by e.log_offset desc limit 1
$$;

-- Whether a stream had this id in the job's config at a record time.
create function projection.is_id_of(log_id integer, stream_id text, system_name text, stream_name text, until timestamptz)
returns boolean language sql stable parallel safe as $$
  select coalesce(projection.config_value_at($1, 'streams.' || $2 || '.samza.system', $5),
                  projection.config_value_at($1, 'job.default.system', $5)) = $3
    and coalesce(projection.config_value_at($1, 'streams.' || $2 || '.samza.physical.name', $5), $2) = $4
$$;

-- Whether a rewind of a partition was requested between two checkpoints of a task (record times): by a startpoint in the task's fan-out,
-- or by reset.offset. log_id is any log of the job.
create function projection.is_rewind_requested(log_id integer, task_name text, system_name text, stream_name text, partition_id integer,
                                                after timestamptz, until timestamptz)
returns boolean language sql stable parallel safe as $$
  select exists (
    select from projection.job_log own
    join projection.job_log j on j.job_suffix = own.job_suffix and j.stream_kind = 'coordinator'
    where own.log_id = $1 and (exists (
      select from projection.event_key k
      join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
      left join lateral (
        select coalesce(n.record_time, (select t.at from projection.log_time_at(n.log_id, n.log_offset) t)) as at
        from projection.message_event n
        where n.log_id = e.log_id and n.key_id = e.key_id and n.log_offset > e.log_offset
        order by n.log_offset limit 1) n on true
      where k.log_id = j.log_id and k.message_type = 'samza-startpoint-v1-fan-out' and not k.is_other
        and left(k.message_key, 100) = left($2, 100) and k.message_key = $2
        and projection.time_between($7, e.record_time) <= interval '1 minute' and coalesce(n.at >= $6, true)
        and e.body -> 'fan_outs' @> jsonb_build_array(jsonb_build_object('system_name', $3, 'stream_name', $4, 'partition_id', $5))
    ) or exists (
      select from (
        values ('systems.' || $3 || '.streams.' || $4 || '.samza.reset.offset'), ('systems.' || $3 || '.default.stream.samza.reset.offset')
        union all
        select k.message_key from projection.event_key k
        where k.log_id = j.log_id and k.message_type = 'set-config' and not k.is_other
          and left(k.message_key, 100) like 'streams.%' and k.message_key like 'streams.%.samza.reset.offset'
          and projection.is_id_of(j.log_id, split_part(k.message_key, '.', 2), $3, $4, $7)) setting(config_key)
      where lower(projection.config_value_at(j.log_id, setting.config_key, $7)) = 'true'
    )))
$$;

-- Checkpoints that the job reads and that have a lower offset of a partition than the previous checkpoint, although no rewind was
-- requested. One row per partition.
create view projection.anomaly_checkpoint_moved_back as
select c.job_name, c.job_id, c.job_bucket, 'checkpoint_moved_back' as anomaly,
  projection.partition_text(m.system_name, m.stream_name, m.partition_id, m.key_bucket) as subject,
  format('The checkpoint of task %s went back from %s (log offset %s) to %s, and neither a startpoint nor reset.offset requested it: '
         'the offsets between are processed again. Somebody wrote the checkpoint by hand, two containers run the task, or the input was re-created.',
         c.task_name, m.earlier_offset, b.log_offset, m.input_offset) as detail,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.suspect_commit c
cross join lateral projection.earlier_checkpoint(c.log_id, c.key_id, c.log_offset) b
cross join lateral projection.lowered_partition(c.log_id, c.layout_id, c.offsets, c.offsets_odd, b.layout_id, b.offsets, b.offsets_odd) m
where c.may_be_lower and c.is_preferred and not projection.is_changelog(c.checkpoint_version, m.system_name, m.stream_name, c.changelogs)
  and not projection.is_rewind_requested(c.log_id, c.task_name, m.system_name, m.stream_name, m.partition_id, b.record_time, c.record_time);
