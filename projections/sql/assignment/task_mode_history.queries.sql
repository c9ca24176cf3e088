-- When did this task's mode change?
select log_offset, record_time, operation, task_mode, source
from coordinator.task_mode_history
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 0'
order by incarnation, log_offset;

-- How many task modes did each job model write?
select date_trunc('minute', record_time) as minute, task_mode, count(*) as tasks
from coordinator.task_mode_history
where job_name = 'wordcount_pv' and job_id = '1'
group by minute, task_mode
order by minute, task_mode;

-- Which tasks were ever not active?
-- May find nothing.
select job_name, job_id, task_name, min(record_time) as first_at
from coordinator.task_mode_history
where task_mode <> 'Active'
group by job_name, job_id, task_name
order by job_name, job_id, task_name;
