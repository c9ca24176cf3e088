-- Which deployments has the job had?
select log_offset, record_time, cluster_type, epoch_id, config_id, job_model_id
from coordinator.job_coordinator_metadata_history
where job_name = 'wordcount_pv' and job_id = '1'
order by incarnation, log_offset;

-- In which deployments did the config change, the job model, or only the epoch?
select log_offset, record_time,
  epoch_id is distinct from lag(epoch_id) over deployments as is_new_epoch,
  config_id is distinct from lag(config_id) over deployments as is_new_config,
  job_model_id is distinct from lag(job_model_id) over deployments as is_new_job_model
from coordinator.job_coordinator_metadata_history
where job_name = 'wordcount_pv' and job_id = '1'
window deployments as (partition by cluster_type order by incarnation, log_offset)
order by incarnation, log_offset;

-- How often is each job of the fleet deployed?
select job_name, job_id, count(distinct epoch_id) as epochs, max(record_time) as last_at
from coordinator.job_coordinator_metadata_history
group by job_name, job_id
order by epochs desc, job_name, job_id;
