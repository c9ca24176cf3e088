-- Which containers has a task been in?
select log_offset, record_time, operation, container_id
from coordinator.task_container_history
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 0'
order by incarnation, log_offset;

-- How many containers did each job model use?
select date_trunc('minute', record_time) as minute, count(distinct container_id) as containers, count(*) as tasks
from coordinator.task_container_history
where job_name = 'wordcount_pv' and job_id = '1' and operation = 'set'
group by minute
order by minute;

-- Who assigned the tasks, and from where?
select source, host, username, count(*) as assignments, max(record_time) as last_at
from coordinator.task_container_history
where job_name = 'wordcount_pv' and job_id = '1'
group by source, host, username
order by last_at desc;
