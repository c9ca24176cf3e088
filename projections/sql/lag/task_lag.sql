-- The newest observation of an input partition, and the oldest one with known offsets of the ten minutes before it.
create function projection.newest_bound(job_suffix text, system_name text, stream_name text, partition_id integer)
returns table (oldest_offset bigint, end_offset bigint, observed_at timestamptz, earlier_end bigint, earlier_at timestamptz)
language sql stable parallel safe as $$
  select n.oldest_offset, n.end_offset, n.observed_at, e.end_offset, e.observed_at
  from (
    select b.oldest_offset, b.end_offset, b.observed_at from projection.observed_input b
    where b.job_suffix = $1 and b.system_name = $2 and b.stream_name = $3 and b.partition_id = $4
    order by b.observed_at desc limit 1) n
  left join lateral (
    select b.end_offset, b.observed_at from projection.observed_input b
    where b.job_suffix = $1 and b.system_name = $2 and b.stream_name = $3 and b.partition_id = $4
      and b.observed_at >= n.observed_at - interval '10 minutes' and b.end_offset is not null
    order by b.observed_at limit 1) e on true
$$;

-- When an input partition was last seen to end at or before an offset, so that the record there did not exist yet. If it
-- never was: the first observation, which the record is older than.
create function projection.last_seen_without(job_suffix text, system_name text, stream_name text, partition_id integer, input_offset bigint)
returns table (observed_at timestamptz, is_older boolean) language sql stable parallel safe as $$
  (select b.observed_at, false as is_older from projection.observed_input b
   where b.job_suffix = $1 and b.system_name = $2 and b.stream_name = $3 and b.partition_id = $4 and b.end_offset <= $5
   order by b.end_offset desc, b.observed_at desc limit 1)
  union all
  (select b.observed_at, true from projection.observed_input b
   where b.job_suffix = $1 and b.system_name = $2 and b.stream_name = $3 and b.partition_id = $4 and b.end_offset is not null
   order by b.observed_at limit 1)
  order by is_older limit 1
$$;

-- The inputs of a job's tasks with the checkpoints of now and of ten minutes ago.
create function projection.task_progress(coordinator_log integer, checkpoint_log integer)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, input_offset text,
               next_offset bigint, record_time timestamptz, earlier_next bigint, earlier_time timestamptz)
language sql stable parallel safe as $$
  with part as materialized (
    select s.task_name, s.system_name, s.stream_name, s.partition_id, s.key_bucket
    from projection.starting_offset_state($1, null, $2, null, now(), null) s where s.decided_by is not null
  ), newest as materialized (
    select c.* from projection.checkpoint_state($1, null, null, $2, null, null) c
  ), earlier as materialized (                     -- computed once: joined directly, the planner computes it for each partition
    select c.* from projection.log_cut($1, now() - interval '10 minutes') x
    left join lateral projection.log_cut($2, now() - interval '10 minutes') y on true
    cross join lateral projection.checkpoint_state($1, null, x.cut, $2, null, y.cut) c
  )
  select p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket, c.input_offset, projection.next_offset(c.input_offset_number), c.record_time,
    projection.next_offset(e.input_offset_number), e.record_time
  from part p
  left join newest c
    on (c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket) = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
  left join earlier e
    on (e.task_name, e.system_name, e.stream_name, e.partition_id, e.key_bucket) = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
$$;

create view coordinator.task_lag as
select j.job_name, j.job_id, j.job_bucket, p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket, p.input_offset, b.end_offset,
  g.records_behind, case when p.next_offset < b.oldest_offset then b.oldest_offset - p.next_offset when g.records_behind is not null then 0 end as records_lost,
  case when g.records_behind = 0 then 0
       when g.records_behind > 0 then extract(epoch from b.observed_at - w.observed_at)::bigint
  end as seconds_behind,
  case when g.records_behind = 0 then false else w.is_older end as is_lower_bound,
  round(r.processed)::bigint as processed_per_second, round(r.arriving)::bigint as arriving_per_second,
  case when g.records_behind = 0 then 0 when r.processed > r.arriving then least(g.records_behind / (r.processed - r.arriving), 1e12)::bigint end as seconds_to_catch_up,
  b.observed_at
from projection.current_job j
cross join lateral projection.task_progress(j.coordinator_log, j.checkpoint_log) p
left join lateral projection.newest_bound(j.job_suffix, p.system_name, p.stream_name, p.partition_id) b on true
cross join lateral (select case when p.next_offset <= b.end_offset then greatest(b.end_offset - greatest(p.next_offset, b.oldest_offset), 0)
                                when p.next_offset > b.end_offset and p.record_time > b.observed_at - interval '5 minutes' then 0 end) g(records_behind)
left join lateral projection.last_seen_without(j.job_suffix, p.system_name, p.stream_name, p.partition_id, p.next_offset) w on g.records_behind > 0
cross join lateral (
  select case when p.record_time = p.earlier_time then 0
              when p.record_time > p.earlier_time and p.next_offset is not null and p.earlier_next is not null
                then least(greatest(p.next_offset - p.earlier_next, 0) / extract(epoch from projection.time_between(p.earlier_time, p.record_time))::double precision, 1e18) end,
         case when b.observed_at > b.earlier_at and b.end_offset is not null
                then least(greatest(b.end_offset - b.earlier_end, 0) / extract(epoch from b.observed_at - b.earlier_at)::double precision, 1e18) end
  ) r(processed, arriving);
comment on view coordinator.task_lag is E'How far each task is behind its inputs: its checkpoint against the newest observation in input_bound. A partition that has not been observed, or could not be, has null, never 0. Offsets without a record, such as those of transactions or what compaction left, count as records.\nKey: task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.task_lag.input_offset is 'The last processed offset of the task''s checkpoint. Null: the task has no checkpoint of the partition.';
comment on column coordinator.task_lag.end_offset is 'The offset after the last record when the input was observed. Null: unknown.';
comment on column coordinator.task_lag.records_behind is 'Number of records between the checkpoint and the end that can still be read. Never negative. Null: unknown, because the task has no checkpoint, its offset is not an offset of Kafka, the end is unknown, or the input ended before a checkpoint that was at least five minutes old, because its topic was deleted and created again.';
comment on column coordinator.task_lag.records_lost is 'Number of records after the checkpoint that the input has deleted before the task read them. Null: unknown, as records_behind.';
comment on column coordinator.task_lag.seconds_behind is 'How long the next record has been waiting, at most: the time from the last observation without that record to the newest. If no observation is that old, at least: the time from the oldest observation to the newest. 0 if that is not a lower bound: no record is waiting. Null: unknown, as records_behind.';
comment on column coordinator.task_lag.is_lower_bound is 'Whether seconds_behind is a lower bound, because the record is older than all observations. Null: unknown, as records_behind.';
comment on column coordinator.task_lag.processed_per_second is 'Records per second, rounded, between the checkpoint of ten minutes ago and the newest, at most 10^18. 0: no checkpoint was written since. Null: there was no checkpoint then, or one of the two offsets is not an offset of Kafka.';
comment on column coordinator.task_lag.arriving_per_second is 'Records per second, rounded, that were added to the partition in the ten minutes before the newest observation, at most 10^18. Null: there is only one observation.';
comment on column coordinator.task_lag.seconds_to_catch_up is 'Time until no record is waiting if both rates stay as they are, at most 10^12. Null: unknown, or the task is not faster than its input.';
comment on column coordinator.task_lag.observed_at is 'The time of the newest observation. Null: the partition has not been observed.';
