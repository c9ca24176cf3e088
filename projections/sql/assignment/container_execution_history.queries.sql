-- Which containers of the cluster have run this container of the job?
select log_offset, record_time, operation, execution_container_id
from coordinator.container_execution_history
where job_name = 'wordcount_pv' and job_id = '1' and container_id = '0'
order by incarnation, log_offset;

-- Which container of the cluster ran at a time, to read its log?
select distinct on (container_id) container_id, execution_container_id, record_time as since
from coordinator.container_execution_history
where job_name = 'wordcount_pv' and job_id = '1' and record_time <= '2026-11-21 09:17:30+00'
order by container_id, incarnation desc, log_offset desc;

-- How many containers did the cluster give each job in total?
select job_name, job_id, count(distinct execution_container_id) as containers
from coordinator.container_execution_history
group by job_name, job_id
order by containers desc;
