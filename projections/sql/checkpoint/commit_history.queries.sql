-- How many commits per minute does each task make?
select task_name, date_trunc('minute', record_time) as minute, count(*) as commits
from coordinator.commit_history
where job_name = 'wordcount_pv' and job_id = '1' and is_preferred
group by task_name, minute
order by task_name, minute;

-- What was the longest time between two commits of a task?
select task_name, max(pause) as longest_pause
from (
  select task_name, record_time - lag(record_time) over (partition by task_name order by incarnation, log_offset) as pause
  from coordinator.commit_history
  where job_name = 'wordcount_pv' and job_id = '1' and is_preferred) pauses
group by task_name
order by longest_pause desc nulls last;

-- Which commits were written in one version only, as happens if a container fails between the two?
-- May find nothing.
select task_name, checkpoint_id, min(checkpoint_version) as only_version, min(log_offset) as first_log_offset
from coordinator.commit_history
where job_name = 'wordcount_pv' and job_id = '1' and checkpoint_id is not null
group by task_name, checkpoint_id
having count(distinct checkpoint_version) = 1
order by first_log_offset;
