-- Where would each task start if the job were deployed now, and why?
select task_name, stream_name, partition_id, decided_by, startpoint_type, startpoint_value, starting_offset, ignored_reason
from coordinator.starting_offset
where job_name = 'wordcount_pv' and job_id = '1'
order by task_name, stream_name, partition_id;

-- Where would a task have started at a time in the past?
select task_name, stream_name, partition_id, decided_by, starting_offset
from coordinator.starting_offset_as_of('wordcount_pv', '1', '2026-11-21 09:17:01+00')
order by task_name, stream_name, partition_id;

-- How many partitions of each job does each rule decide?
select job_name, job_id, decided_by, count(*) as partitions
from coordinator.starting_offset
group by job_name, job_id, decided_by
order by job_name, job_id, decided_by;
