-- Which container ran a task, and when?
select container_id, valid_from, valid_to
from coordinator.task_container_validity
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 0'
order by incarnation, from_log_offset;

-- On which host was a task at a given time?
select t.task_name, t.container_id, h.host_name
from coordinator.task_container_validity t
left join coordinator.container_host_as_of('wordcount_pv', '1', '2026-11-21 09:17:01+00') h using (container_id)
where t.job_name = 'wordcount_pv' and t.job_id = '1'
  and t.valid_from <= '2026-11-21 09:17:01+00' and (t.valid_to > '2026-11-21 09:17:01+00' or t.valid_to is null)
order by t.task_name;

-- Which tasks have moved most often?
select task_name, count(*) as stretches, max(valid_from) as last_moved_at
from coordinator.task_container_validity
where job_name = 'wordcount_pv' and job_id = '1'
group by task_name
order by stretches desc, task_name;
