-- Which jobs are in this database, and how large are they?
select job_name, job_id, task_count, container_count, config_count
from coordinator.job
order by job_name, job_id;

-- Which jobs have written nothing for the longest time, measured from the newest record of all jobs?
select job_name, job_id, last_record_time, max(last_record_time) over () - last_record_time as silent_for
from coordinator.job
order by last_record_time nulls first
limit 20;

-- How many jobs are in each bucket, by which a read of the fleet can be partitioned?
select job_bucket, count(*) as jobs
from coordinator.job
group by job_bucket
order by job_bucket;
