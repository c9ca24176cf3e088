-- Which deployments has the job had, and what did each change?
select deployment_number, source, host, username, first_record_time, keys_set, keys_changed, keys_deleted
from coordinator.config_deployment
where job_name = 'wordcount_pv' and job_id = '1'
order by deployment_number;

-- Which settings did each deployment change, from what to what?
select d.deployment_number, c.config_key, c.previous_value, c.config_value, c.operation
from coordinator.config_deployment d
join coordinator.config_change c using (job_name, job_id, incarnation)
where d.job_name = 'wordcount_pv' and d.job_id = '1'
  and c.log_offset between d.first_log_offset and d.last_log_offset
order by d.deployment_number, c.log_offset;

-- When did each start of the job begin to write its config?
select distinct on (run_number) run_number, first_record_time, first_log_offset
from coordinator.config_deployment
where job_name = 'wordcount_pv' and job_id = '1' and run_number > 0
order by run_number, deployment_number;
