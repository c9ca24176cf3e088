-- Which hosts has a container been on?
select log_offset, record_time, host_name, operation
from coordinator.container_host_history
where job_name = 'wordcount_pv' and job_id = '1' and container_id = '1'
order by incarnation, log_offset;

-- How often did each container start?
select container_id, count(*) as starts, min(record_time) as first_start, max(record_time) as last_start
from coordinator.container_host_history
where job_name = 'wordcount_pv' and job_id = '1' and operation = 'set'
group by container_id
order by container_id;

-- Which containers were started at a time when something else broke?
select job_name, job_id, container_id, host_name, record_time
from coordinator.container_host_history
where record_time between '2026-11-21 09:17:00+00' and '2026-11-21 09:18:00+00'
order by record_time;
