-- When was this task's changelog partition written, and by whom?
select log_offset, record_time, operation, changelog_partition, source, host
from coordinator.changelog_mapping_history
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 3'
order by incarnation, log_offset;

-- Which tasks ever had more than one changelog partition?
-- May find nothing.
select job_name, job_id, task_name, count(distinct changelog_partition) as partitions
from coordinator.changelog_mapping_history
where operation = 'set'
group by job_name, job_id, task_name
having count(distinct changelog_partition) > 1;

-- In which runs was the whole mapping written again?
select date_trunc('minute', record_time) as minute, count(distinct task_name) as tasks
from coordinator.changelog_mapping_history
where job_name = 'wordcount_pv' and job_id = '1' and operation = 'set'
group by minute
order by minute;
