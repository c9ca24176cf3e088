-- Under which id does the cluster know each container?
select container_id, execution_container_id, record_time
from coordinator.container_execution
where job_name = 'wordcount_pv' and job_id = '1'
order by container_id;

-- Which job does a container of the cluster belong to?
select e.job_name, e.job_id, e.container_id, h.host_name, e.execution_container_id
from coordinator.container_execution e
left join coordinator.container_host h using (job_name, job_id, container_id)
where e.execution_container_id like 'container\_%'
order by e.job_name, e.job_id, e.container_id;

-- Which ids did the containers have when the first run ended?
select container_id, execution_container_id
from coordinator.container_execution_as_of('wordcount_pv', '1', '2026-11-21 09:16:59+00')
order by container_id;
