-- The newest observation of an input partition.
create function projection.newest_bound(job_suffix text, system_name text, stream_name text, partition_id integer)
returns table (oldest_offset bigint, end_offset bigint, observed_at timestamptz) language sql stable parallel safe as $$
  select b.oldest_offset, b.end_offset, b.observed_at from projection.observed_input b
  where b.job_suffix = $1 and b.system_name = $2 and b.stream_name = $3 and b.partition_id = $4
  order by b.observed_at desc limit 1
$$;

-- The partitions that the tasks of a job read, with their checkpoints. Config decides as in starting_offset_state, of which only the few
-- keys that name inputs are read here: monitors ask for all jobs at once.
create function projection.task_position(coordinator_log integer, checkpoint_log integer)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, input_offset text,
               next_offset bigint, record_time timestamptz)
language sql stable parallel safe as $$
  with config as (
    select coalesce(jsonb_object_agg(c.config_key, c.config_value), '{}'::jsonb) as conf
    from projection.config c
    where c.log_id = $1 and (c.config_key in ('task.inputs', 'task.broadcast.inputs', 'job.default.system') or c.config_key like 'streams.%')
  ), input as (
    select i.system_name, i.stream_name from config cross join lateral projection.job_input(config.conf) i
  )
  select t.task_name, t.system_name, t.stream_name, t.partition_id, t.key_bucket, c.input_offset, projection.next_offset(c.input_offset_number), c.record_time
  from projection.task_input($1, null, $2, null, null) t
  left join projection.checkpoint_state($1, null, $2, null) c
    on (c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket) = (t.task_name, t.system_name, t.stream_name, t.partition_id, t.key_bucket)
  where (t.system_name, t.stream_name) in (select i.system_name, i.stream_name from input i)
    or not exists (select from config where config.conf ?| array['task.inputs', 'task.broadcast.inputs'])
$$;

-- How far a position is behind the newest observation of its input partition (one row). Its next record has waited since the partition was last
-- seen to end at or before it, so that the record did not exist yet; if it never was, the record is older than the first observation.
create function projection.input_lag(job_suffix text, system_name text, stream_name text, partition_id integer, next_offset bigint, committed_at timestamptz)
returns table (end_offset bigint, records_behind bigint, records_lost bigint, seconds_behind bigint, is_lower_bound boolean, observed_at timestamptz,
               last_records_behind bigint, last_known_at timestamptz)
language sql stable parallel safe as $$
  select b.end_offset, g.records_behind,
    case when $5 < b.oldest_offset then b.oldest_offset - $5 when g.records_behind is not null then 0 end,
    case when g.records_behind = 0 then 0
         when g.records_behind > 0 then extract(epoch from b.observed_at - coalesce(w.observed_at, (
           select f.observed_at from projection.observed_input f
           where f.job_suffix = $1 and f.system_name = $2 and f.stream_name = $3 and f.partition_id = $4 and f.end_offset is not null
           order by f.observed_at limit 1)))::bigint end,
    case when g.records_behind is not null then g.records_behind > 0 and w.observed_at is null end, b.observed_at,
    l.records_behind, case when n.end_offset is not null then n.observed_at end
  from (select 1) one
  left join lateral projection.newest_bound($1, $2, $3, $4) b on true
  left join lateral (
    select f.oldest_offset, f.end_offset, f.observed_at from projection.observed_input f
    where b.end_offset is null and f.job_suffix = $1 and f.system_name = $2 and f.stream_name = $3 and f.partition_id = $4 and f.end_offset is not null
    order by f.observed_at desc limit 1) k on true
  cross join lateral (                             -- the newest that did not fail
    select coalesce(b.oldest_offset, k.oldest_offset), coalesce(b.end_offset, k.end_offset), coalesce(k.observed_at, b.observed_at)
  ) n(oldest_offset, end_offset, observed_at)
  cross join lateral (select case when $5 <= n.end_offset then greatest(n.end_offset - greatest($5, n.oldest_offset), 0)
                                  when $5 > n.end_offset and $6 > n.observed_at - interval '5 minutes' then 0 end) l(records_behind)
  cross join lateral (select case when b.end_offset is not null then l.records_behind end) g(records_behind)
  left join lateral (
    select s.observed_at from projection.observed_input s
    where s.job_suffix = $1 and s.system_name = $2 and s.stream_name = $3 and s.partition_id = $4 and s.end_offset <= $5
    order by s.observed_at desc limit 1) w on g.records_behind > 0
$$;

-- task_lag without the rates, which cost as much again, and without jobs whose inputs have never been observed.
create view projection.task_backlog as
select j.job_name, j.job_id, p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket,
  l.records_behind, l.records_lost, l.seconds_behind, l.is_lower_bound, l.observed_at, l.last_records_behind, l.last_known_at
from projection.current_job j
cross join lateral projection.task_position(j.coordinator_log, j.checkpoint_log) p
cross join lateral projection.input_lag(j.job_suffix, p.system_name, p.stream_name, p.partition_id, p.next_offset, p.record_time) l
where exists (select from projection.observed_input o where o.job_suffix = j.job_suffix);

-- The positions of a job's tasks, now and ten minutes ago.
create function projection.task_progress(coordinator_log integer, checkpoint_log integer)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, input_offset text,
               next_offset bigint, record_time timestamptz, earlier_next bigint, earlier_time timestamptz)
language sql stable parallel safe as $$
  with earlier as materialized (                   -- computed once: joined directly, the planner computes it for each partition
    select c.* from projection.log_cut($1, now() - interval '10 minutes') x
    left join lateral projection.log_cut($2, now() - interval '10 minutes') y on true
    cross join lateral projection.checkpoint_state($1, x.cut, $2, y.cut) c
  )
  select p.*, projection.next_offset(e.input_offset_number), e.record_time
  from projection.task_position($1, $2) p
  left join earlier e
    on (e.task_name, e.system_name, e.stream_name, e.partition_id, e.key_bucket) = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
$$;

create view coordinator.task_lag as
select j.job_name, j.job_id, j.job_bucket, p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket, p.input_offset, l.end_offset,
  l.records_behind, l.records_lost, l.seconds_behind, l.is_lower_bound,
  case when r.processed < 1 then ceil(r.processed) else round(r.processed) end::bigint as processed_per_second,
  case when r.arriving < 1 then ceil(r.arriving) else round(r.arriving) end::bigint as arriving_per_second,
  case when r.processed is not null then least(round(r.processed * 3600), 9e18) end::bigint as processed_per_hour,
  case when r.arriving is not null then least(round(r.arriving * 3600), 9e18) end::bigint as arriving_per_hour,
  case when l.records_behind = 0 then 0 when l.records_behind > 0 and r.processed > r.arriving then least(l.records_behind / (r.processed - r.arriving), 1e12)::bigint end as seconds_to_catch_up,
  l.observed_at, l.last_records_behind, l.last_known_at
from projection.current_job j
cross join lateral projection.task_progress(j.coordinator_log, j.checkpoint_log) p
cross join lateral projection.input_lag(j.job_suffix, p.system_name, p.stream_name, p.partition_id, p.next_offset, p.record_time) l
left join lateral (                                -- the oldest known end of the ten minutes before the newest observation
  select b.end_offset, b.observed_at from projection.observed_input b
  where b.job_suffix = j.job_suffix and b.system_name = p.system_name and b.stream_name = p.stream_name and b.partition_id = p.partition_id
    and b.observed_at >= l.observed_at - interval '10 minutes' and b.end_offset is not null
  order by b.observed_at limit 1) b on true
cross join lateral (
  select case when p.record_time = p.earlier_time then 0
              when p.record_time > p.earlier_time and p.next_offset is not null and p.earlier_next is not null
                then least(greatest(p.next_offset - p.earlier_next, 0) / extract(epoch from projection.time_between(p.earlier_time, p.record_time))::double precision, 1e18) end,
         case when l.observed_at > b.observed_at and l.end_offset is not null
                then least(greatest(l.end_offset - b.end_offset, 0) / extract(epoch from l.observed_at - b.observed_at)::double precision, 1e18) end
  ) r(processed, arriving);
comment on view coordinator.task_lag is E'How far each task is behind its inputs: its checkpoint against the newest observation in input_bound. A partition that has not been observed, or could not be, has null, never 0. Offsets without a record, such as those of transactions or what compaction left, count as records.\nKey: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.task_lag.input_offset is 'The last processed offset of the task''s checkpoint. Null: the task has no checkpoint of the partition.';
comment on column coordinator.task_lag.end_offset is 'The offset after the last record when the input was observed. Null: unknown.';
comment on column coordinator.task_lag.records_behind is 'Number of records between the checkpoint and the end that can still be read. Never negative. Null: unknown, because the task has no checkpoint, its offset is not an offset of Kafka, the end is unknown, or the topic was re-created: it ended before a checkpoint at least five minutes old.';
comment on column coordinator.task_lag.records_lost is 'Number of records after the checkpoint that the input has deleted before the task read them. Null: unknown, as records_behind.';
comment on column coordinator.task_lag.seconds_behind is 'How long the next record has waited, as the observations show it. Normally an upper bound: the time from the last observation without that record to the newest one. If all observations have the record, a lower bound: the time from the oldest one to the newest. 0 without is_lower_bound: no record is waiting. Null: unknown, as records_behind.';
comment on column coordinator.task_lag.is_lower_bound is 'Whether seconds_behind is a lower bound, because the record is older than all observations. Null: unknown, as records_behind.';
comment on column coordinator.task_lag.processed_per_second is 'Records per second, rounded (from 0 to 1: up to 1), between the checkpoint of ten minutes ago and the newest, at most 10^18. 0: no checkpoint was written since. Null: there was no checkpoint then, or one of the two offsets is not an offset of Kafka.';
comment on column coordinator.task_lag.arriving_per_second is 'Records per second, rounded (from 0 to 1: up to 1), that were added to the partition in the ten minutes before the newest observation, at most 10^18. Null: there is only one observation.';
comment on column coordinator.task_lag.seconds_to_catch_up is 'Time until no record is waiting if both rates stay as they are, at most 10^12. Null: unknown, or the task is not faster than its input.';
comment on column coordinator.task_lag.observed_at is 'The time of the newest observation. Null: the partition has not been observed.';
comment on column coordinator.task_lag.processed_per_hour is 'The rate of processed_per_second as records per hour, for slow tasks; at most 9 * 10^18. Null: as processed_per_second.';
comment on column coordinator.task_lag.arriving_per_hour is 'The rate of arriving_per_second as records per hour, for slow inputs; at most 9 * 10^18. Null: as arriving_per_second.';
comment on column coordinator.task_lag.last_records_behind is 'records_behind at the newest observation that did not fail: the last known value while the input does not answer. Null: the position or every end is unknown.';
comment on column coordinator.task_lag.last_known_at is 'The time of that observation. Null: no observation has a known end.';
