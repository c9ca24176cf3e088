-- What did the last change of each setting replace?
select distinct on (config_key) config_key, previous_value, config_value, operation, record_time, username
from coordinator.config_change
where job_name = 'wordcount_pv' and job_id = '1'
order by config_key, incarnation desc, log_offset desc;

-- What changed after the first run ended?
select log_offset, record_time, config_key, previous_value, config_value, operation
from coordinator.config_change
where job_name = 'wordcount_pv' and job_id = '1' and record_time > '2026-11-21 09:16:59+00'
order by incarnation, log_offset;

-- Which settings change most often?
select config_key, count(*) as changes
from coordinator.config_change
where job_name = 'wordcount_pv' and job_id = '1'
group by config_key
order by changes desc, config_key
limit 10;
