-- The tasks with a checkpoint in a log, each with the time of its newest commit. Checkpoints of another grouper than that of the log's newest
-- commit belong to tasks that are gone; their keys stay for ever.
create function projection.task_commit(log_id integer) returns table (task_name text, commit_time timestamptz) language sql stable parallel safe as $$
  select c.message_key, max(c.record_time)
  from (
    select k.message_key, k.grouper_factory, h.record_time, first_value(k.grouper_factory) over (order by h.log_offset desc) as newest_grouper
    from projection.event_key k
    cross join lateral (
      select e.layout_id, e.record_time, e.log_offset from projection.checkpoint_event e
      where e.log_id = k.log_id and e.key_id = k.key_id order by e.log_offset desc limit 1) h
    where k.log_id = $1 and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other and h.layout_id is not null) c
  where c.grouper_factory is not distinct from c.newest_grouper
  group by c.message_key
$$;

-- The tasks of a job that exist: those assigned to containers; if none is, those assigned to partitions; else those that have a checkpoint.
-- Each with the time of its assignment, and of its newest commit (null: none), of the log that checkpoints are read from. History is read
-- for the times of commits only, and for tasks without an assignment: an aggregate has one row, so the planner leaves it out if it is not used.
create function projection.job_task(coordinator_log integer, checkpoint_log integer)
returns table (task_name text, is_standby boolean, assigned_at timestamptz, commit_time timestamptz) language sql stable parallel safe as $$
  with committed as materialized (select c.* from projection.task_commit(coalesce($2, $1)) c)  -- joined directly, it is computed for each task
  select t.task_name, t.is_standby, t.assigned_at, h.commit_time
  from (
    select s.task_name, bool_or(s.is_standby) as is_standby, max(s.assigned_at) as assigned_at,
      min(s.place) as place, min(min(s.place)) over () as best_place
    from (
      select 1 as place, c.task_name, false as is_standby, c.record_time as assigned_at
      from projection.task_container c where c.log_id = $1
      union all
      select 2, p.task_name, false, p.record_time
      from projection.task_partition p where p.log_id = $1
      union all
      select 9, m.task_name, true, m.record_time
      from projection.task_mode m where m.log_id = $1 and m.task_mode = 'Standby'
      union all
      select 3, c.task_name, false, null
      from committed c
      where not exists (select from projection.task_container a where a.log_id = $1)
        and not exists (select from projection.task_partition a where a.log_id = $1)) s
    group by s.task_name) t
  left join lateral (select any_value(c.commit_time) as commit_time from committed c where c.task_name = t.task_name) h on true
  where t.place = t.best_place
$$;

-- The tasks of all jobs with their newest commits and their lags. If the lag of a partition is unknown, so are the records; the seconds are those
-- of the other partitions, as a lower bound, never 0.
create view projection.task_status as
select j.job_name, j.job_id, t.task_name, t.is_standby, t.assigned_at, t.commit_time,
  b.partition_count, b.records_behind, b.records_lost, b.seconds_behind, b.is_lower_bound, b.observed_at,
  b.last_records_behind, b.last_known_at
from projection.current_job j
cross join lateral projection.job_task(j.coordinator_log, j.checkpoint_log) t
left join (
  select l.job_name, l.job_id, l.task_name, count(*) as partition_count,
    case when count(*) = count(l.records_behind) then sum(l.records_behind)::bigint end as records_behind, sum(l.records_lost)::bigint as records_lost,
    case when count(*) = count(l.seconds_behind) then max(l.seconds_behind) else nullif(max(l.seconds_behind), 0) end as seconds_behind,
    bool_or(l.is_lower_bound) or count(l.seconds_behind) between 1 and count(*) - 1 as is_lower_bound, min(l.observed_at) as observed_at,
    case when count(*) = count(l.last_records_behind) then sum(l.last_records_behind)::bigint end as last_records_behind, min(l.last_known_at) as last_known_at
  from projection.task_backlog l group by l.job_name, l.job_id, l.task_name) b using (job_name, job_id, task_name);
