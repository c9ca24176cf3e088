-- Where the tasks of a job stood in their inputs: at a time, when they reached an offset, and how fast they went.
create function coordinator.input_offset_at(job_name text, job_id text, at timestamptz)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
               input_offset text, input_offset_number bigint, record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket, c.input_offset, c.input_offset_number, c.record_time, c.log_offset
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.checkpoint_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) c
  where j.coordinator_log is not null or j.checkpoint_log is not null
$$;
comment on function coordinator.input_offset_at is E'Where each task of a job stood in its inputs at a time: the last processed offset of its last checkpoint by then, with the time and the offset of that event. A task can have been further by then; it writes a checkpoint every `task.commit.ms`, by default each minute. Raises below the horizon.\nKey: task_name, system_name, stream_name, partition_id, key_bucket.';

-- The logs of a job, and which of their events count: an incarnation repeats events of the one before.
create function projection.job_log_span(job_name text, job_id text)
returns table (log_id integer, stream_kind text, incarnation integer, after_offset bigint, last_offset bigint) language sql stable parallel safe as $$
  select l.log_id, l.stream_kind, l.incarnation, s.after_offset, s.last_offset
  from projection.job_log l cross join lateral projection.log_shown(l.log_id) s
  where l.job_name = $1 and l.job_id = $2
$$;

-- The checkpoints of one input partition that a job preferred, with the offset in the one before (null: none before). The layouts with the
-- partition come first, so that other checkpoints are not opened.
create function projection.passed_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer)
returns table (log_id integer, task_name text, key_bucket integer, previous_number bigint, input_offset text, input_offset_number bigint,
               record_time timestamptz, stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select s.log_id, c.task_name, l.key_bucket, lag(o.number) over (partition by c.task_name, l.key_bucket order by s.incarnation, c.log_offset),
    l.value, o.number, c.record_time, s.stream_kind, s.incarnation, c.log_offset
  from (
    select s.*, array(select l.layout_id from projection.layout_entry l
                      where l.log_id = s.log_id and l.system_name = $3 and l.stream_name = $4 and l.partition_id = $5) as layouts
    from projection.job_log_span($1, $2) s offset 0) s
  join projection.counted_commit c on c.log_id = s.log_id and c.layout_id = any (s.layouts)
  cross join lateral projection.opened_input(c.layout, c.offsets, c.offsets_odd) l
  cross join lateral projection.offset_number(l.value) o(number)
  where l.system_name = $3 and l.stream_name = $4 and l.partition_id = $5 and not l.is_state and o.number is not null
    and not projection.is_changelog(c.checkpoint_version, l.system_name, l.stream_name, c.changelogs)
    and c.is_preferred and coalesce(c.log_offset > s.after_offset and c.log_offset <= s.last_offset, true)
$$;

create function coordinator.time_of_input_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer, input_offset text)
returns table (task_name text, key_bucket integer, record_time timestamptz, input_offset text, input_offset_number bigint,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select p.task_name, p.key_bucket, p.record_time, p.input_offset, p.input_offset_number, p.stream_kind, p.incarnation, p.log_offset
  from projection.passed_offset($1, $2, $3, $4, $5) p
  where case when p.input_offset_number >= $6::bigint and coalesce(p.previous_number < $6::bigint, true)
             then projection.retained_cut(p.log_id, p.log_offset - 1) is not null end    -- else it may have passed the offset before
  order by p.incarnation, p.log_offset, p.task_name, p.key_bucket
$$;
comment on function coordinator.time_of_input_offset is E'When a job passed an offset of an input partition: each checkpoint at or beyond it whose predecessor is before it, or missing. More than one row of a task: it was rewound and passed the offset again. No row: no checkpoint is as far. Raises if it was passed below the horizon, where the time is unknown. The offset must be an integer. Reads all checkpoints of the job that have the partition.\nKey: task_name, key_bucket, stream_kind, incarnation, log_offset.';

create function coordinator.processing_rate(job_name text, job_id text, since timestamptz, until timestamptz)
returns table (task_name text, hour timestamptz, records bigint, records_per_second double precision)
language sql stable parallel safe as $$
  select s.task_name, s.hour, least(sum(s.records), 9223372036854775807)::bigint,
    sum(s.records)::double precision
      / extract(epoch from least(s.hour + interval '1 hour', $4) - greatest(s.hour, $3))
  from (
    select c.*, date_trunc('hour', c.record_time - interval '1 microsecond', 'UTC') as hour,
      greatest(c.input_offset_number::numeric - lag(c.input_offset_number) over (
        partition by c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket
        order by c.is_first desc, c.incarnation, c.log_offset), 0) as records
    from (
      select a.task_name, a.system_name, a.stream_name, a.partition_id, a.key_bucket, a.input_offset_number,
        true as is_first, 0 as incarnation, a.log_offset, null::timestamptz as record_time
      from coordinator.input_offset_at($1, $2, $3) a
      union all
      select h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.input_offset_number,
        false, h.incarnation, h.log_offset, h.record_time
      from projection.job_log_span($1, $2) s
      cross join lateral projection.log_cut(s.log_id, $3) k        -- what is before was written before $3
      cross join lateral (
        select c.* from coordinator.checkpoint_history c
        where c.job_name = $1 and c.job_id = $2 and c.stream_kind = s.stream_kind and c.incarnation = s.incarnation and c.log_offset > k.cut
          and c.is_preferred and c.record_time > $3 and c.record_time <= $4 offset 0) h
      where coalesce(h.log_offset > s.after_offset and h.log_offset <= s.last_offset, true)
        and h.record_time between timestamptz '4713-12-01 00:00:00+00 BC' and timestamptz '294276-12-01 00:00:00+00') c  -- so that its hour can be computed
    where c.input_offset_number is not null) s
  where not s.is_first
  group by s.task_name, s.hour
  order by s.task_name, s.hour
$$;
comment on function coordinator.processing_rate is E'How many input records each task of a job processed from one time to another, by hour (UTC): the distance of its checkpoints'' offsets, over all of its partitions. Offsets without a record, such as those that compaction left, count as records. A checkpoint that goes back counts as 0, and one at the first instant of an hour belongs to the hour before. The first and last hour count only the part within the range. Raises if the range begins below the horizon.\nKey: task_name, hour.';
