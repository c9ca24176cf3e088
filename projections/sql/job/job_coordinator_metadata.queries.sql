-- What is the current deployment of the job?
select cluster_type, epoch_id, config_id, job_model_id, record_time
from coordinator.job_coordinator_metadata
where job_name = 'wordcount_pv' and job_id = '1';

-- What was the deployment when the first run ended?
select cluster_type, epoch_id, config_id, job_model_id
from coordinator.job_coordinator_metadata_as_of('wordcount_pv', '1', '2026-11-21 09:16:59+00');

-- Which jobs have had the same job model for the longest time?
select job_name, job_id, cluster_type, record_time as planned_at
from coordinator.job_coordinator_metadata
order by planned_at
limit 20;
