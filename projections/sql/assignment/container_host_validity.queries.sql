-- On which hosts did a container run, and when?
select host_name, valid_from, valid_to
from coordinator.container_host_validity
where job_name = 'wordcount_pv' and job_id = '1' and container_id = '0'
order by incarnation, from_log_offset;

-- Which containers ran on a host at a given time?
select job_name, job_id, container_id
from coordinator.container_host_validity
where host_name = '192.0.2.2' and valid_from <= '2026-11-21 09:17:01+00'
  and (valid_to > '2026-11-21 09:17:01+00' or valid_to is null)
order by job_name, job_id, container_id;

-- Which containers have changed their host or their JMX address most often?
select job_name, job_id, container_id, count(*) as stretches, count(distinct host_name) as hosts
from coordinator.container_host_validity
group by job_name, job_id, container_id
order by stretches desc, job_name, job_id, container_id;
