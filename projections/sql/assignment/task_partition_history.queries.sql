-- When were partitions added to a job's inputs?
select stream_name, partition_id, min(record_time) as first_at, min(log_offset) as first_log_offset
from coordinator.task_partition_history
where job_name = 'wordcount_pv' and job_id = '1' and operation = 'set'
group by stream_name, partition_id
order by first_log_offset;

-- Which partitions are no longer assigned to any task?
select system_name, stream_name, partition_id, log_offset, record_time
from coordinator.task_partition_history
where job_name = 'wordcount_pv' and job_id = '1' and operation = 'delete'
order by incarnation, log_offset;

-- Which partitions were assigned to this task, and when?
select log_offset, record_time, stream_name, partition_id
from coordinator.task_partition_history
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 0'
order by incarnation, log_offset;
