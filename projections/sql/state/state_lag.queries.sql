-- Which backups have not changed for the most commits?
select task_name, store_name, factory_name, commits_since_change, age_seconds
from coordinator.state_lag
where job_name = 'wordcount_pv' and job_id = '1'
order by commits_since_change desc, task_name, store_name
limit 10;

-- In which stores is one task's backup much older than those of the other tasks?
-- May find nothing.
select l.job_name, l.job_id, l.store_name, l.task_name, l.commits_since_change
from coordinator.state_lag l
join (
  select job_name, job_id, store_name, factory_name, percentile_disc(0.5) within group (order by commits_since_change) as usual
  from coordinator.state_lag group by job_name, job_id, store_name, factory_name) o using (job_name, job_id, store_name, factory_name)
where l.commits_since_change > 10 * greatest(o.usual, 1);

-- Which stores are empty or were never written?
-- May find nothing.
select task_name, store_name, changed_at
from coordinator.state_lag
where job_name = 'wordcount_pv' and job_id = '1' and changelog_stream is not null and changelog_offset is null;
