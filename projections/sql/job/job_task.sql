-- The tasks of a job that exist: those assigned to containers; if none is, those assigned to partitions; else those that have a checkpoint. Each with the time of its
-- assignment, and of its newest commit (null: none), of the log that checkpoints are read from. Checkpoints of another grouper than that
-- of the newest commit belong to tasks that are gone; their keys stay for ever.
create function projection.job_task(coordinator_log integer, checkpoint_log integer)
returns table (task_name text, is_standby boolean, assigned_at timestamptz, commit_time timestamptz) language sql stable parallel safe as $$
  select t.task_name, t.is_standby, t.assigned_at, t.commit_time
  from (
    select s.task_name, bool_or(s.is_standby) as is_standby, max(s.assigned_at) as assigned_at, max(s.commit_time) as commit_time,
      min(s.place) as place, min(min(s.place)) over () as best_place
    from (
      select 1 as place, c.task_name, false as is_standby, c.record_time as assigned_at, null::timestamptz as commit_time
      from projection.task_container c where c.log_id = $1
      union all
      select 2, p.task_name, false, p.record_time, null
      from projection.task_partition p where p.log_id = $1
      union all
      select 9, m.task_name, true, m.record_time, null
      from projection.task_mode m where m.log_id = $1 and m.task_mode = 'Standby'
      union all
      select 3, c.task_name, false, null, c.record_time
      from (
        select h.*, first_value(h.grouper_factory) over (order by h.log_offset desc) as newest_grouper
        from projection.checkpoint_head(coalesce($2, $1), null, null) h) c
      where c.grouper_factory is not distinct from c.newest_grouper) s
    group by s.task_name) t
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
