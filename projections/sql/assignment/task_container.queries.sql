-- Which container runs which task, and on which host?
select t.task_name, t.container_id, h.host_name
from coordinator.task_container t
left join coordinator.container_host h using (job_name, job_id, container_id)
where t.job_name = 'wordcount_pv' and t.job_id = '1'
order by t.container_id, t.task_name;

-- Are the tasks spread evenly?
select job_name, job_id, container_id, count(*) as tasks
from coordinator.task_container
group by job_name, job_id, container_id
order by tasks desc, job_name, job_id, container_id;

-- In which container was each task when the first run ended, and where is it now?
select task_name, past.container_id as container_then, present.container_id as container_now
from coordinator.task_container present
join coordinator.task_container_as_of('wordcount_pv', '1', '2026-11-21 09:16:59+00') past using (job_name, job_id, task_name)
order by task_name;
