-- Which tasks are active, and which are standbys?
select task_mode, count(*) as tasks, string_agg(task_name, ', ' order by task_name) as task_names
from coordinator.task_mode
where job_name = 'wordcount_pv' and job_id = '1'
group by task_mode
order by task_mode;

-- Which active tasks have no container?
-- May find nothing.
select m.job_name, m.job_id, m.task_name
from coordinator.task_mode m
where m.task_mode = 'Active' and not exists (
  select from coordinator.task_container t
  where t.job_name = m.job_name and t.job_id = m.job_id and t.task_name = m.task_name)
order by m.job_name, m.job_id, m.task_name;

-- Which jobs of the fleet use standby tasks?
-- May find nothing.
select job_name, job_id, count(*) as standby_tasks
from coordinator.task_mode
where task_mode <> 'Active'
group by job_name, job_id
order by job_name, job_id;
