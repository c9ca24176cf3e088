-- What happened to each startpoint of the job, step by step?
select stream_name, partition_id, task_name, startpoint_type, status, record_time, log_offset
from coordinator.startpoint_history
where job_name = 'wordcount_pv' and job_id = '1'
order by stream_name, partition_id, created_at, record_time, log_offset;

-- How many steps of each status were there?
select status, count(*) as steps
from coordinator.startpoint_history
where job_name = 'wordcount_pv' and job_id = '1'
group by status
order by steps desc;

-- Which startpoints were fanned out, but refused?
-- May find nothing.
select job_name, job_id, task_name, stream_name, partition_id, startpoint_type, startpoint_value, record_time
from coordinator.startpoint_history
where status = 'refused'
order by record_time;
