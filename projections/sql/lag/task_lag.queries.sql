-- How far is each task of a job behind, and when will it have caught up?
select task_name, sum(records_behind) as records_behind, max(seconds_behind) as seconds_behind, max(seconds_to_catch_up) as seconds_to_catch_up
from coordinator.task_lag
where job_name = 'wordcount_pv' and job_id = '1'
group by task_name
order by task_name;

-- Which tasks of the fleet have lost records, or an unknown lag?
select job_name, job_id, task_name, stream_name, partition_id, records_behind, records_lost, observed_at
from coordinator.task_lag
where records_lost > 0 or records_behind is null
order by records_lost desc nulls last;

-- Which jobs fall further behind?
-- May find nothing.
select job_name, job_id, sum(processed_per_second) as processed, sum(arriving_per_second) as arriving
from coordinator.task_lag
group by job_name, job_id
having sum(processed_per_second) < sum(arriving_per_second);
