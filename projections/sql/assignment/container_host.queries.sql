-- Where do the job's containers run?
select container_id, host_name, record_time as started_at
from coordinator.container_host
where job_name = 'wordcount_pv' and job_id = '1'
order by container_id;

-- Which containers run on a host that is to be shut down?
select job_name, job_id, container_id
from coordinator.container_host
where host_name = '192.0.2.2'
order by job_name, job_id, container_id;

-- Which containers have no task assigned any more, although the log still has them?
select h.job_name, h.job_id, h.container_id, h.host_name
from coordinator.container_host h
where not exists (
  select from coordinator.task_container t
  where t.job_name = h.job_name and t.job_id = h.job_id and t.container_id = h.container_id)
order by h.job_name, h.job_id, h.container_id;
