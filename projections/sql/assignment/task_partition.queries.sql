-- Which task reads which partition?
select system_name, stream_name, partition_id, string_agg(task_name, ', ' order by task_name) as tasks
from coordinator.task_partition
where job_name = 'wordcount_pv' and job_id = '1'
group by system_name, stream_name, partition_id
order by system_name, stream_name, partition_id;

-- Which jobs read a stream that is to be moved?
select job_name, job_id, count(distinct partition_id) as partitions, count(distinct task_name) as tasks
from coordinator.task_partition
where system_name = 'kafka' and stream_name = 'page-views'
group by job_name, job_id
order by job_name, job_id;

-- Which assigned partitions have no checkpoint yet?
select p.task_name, p.stream_name, p.partition_id
from coordinator.task_partition p
left join coordinator.checkpoint c using (job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket)
where p.job_name = 'wordcount_pv' and p.job_id = '1' and c.log_offset is null
order by p.stream_name, p.partition_id, p.task_name;
