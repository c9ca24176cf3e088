-- Which jobs does this database know, and how large are they?
select job_name, job_id, task_count, container_count, config_count
from coordinator.job
order by job_name, job_id;

-- Which jobs have been silent for the longest, measured by the newest record of all?
select job_name, job_id, last_record_time, max(last_record_time) over () - last_record_time as silent_for
from coordinator.job
order by last_record_time nulls first
limit 20;

-- How many jobs fall into each bucket that a partitioned read of the fleet would be cut by?
select job_bucket, count(*) as jobs
from coordinator.job
group by job_bucket
order by job_bucket;
