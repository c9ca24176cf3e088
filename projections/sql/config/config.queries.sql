-- What is the configuration of the job?
select config_key, config_value, is_sensitive
from coordinator.config
where job_name = 'wordcount_pv' and job_id = '1'
order by config_key;

-- Which jobs read or write the changelog topic of a store?
select job_name, job_id, config_key, config_value as changelog
from coordinator.config
where config_key like 'stores.%.changelog'
order by job_name, job_id, config_key;

-- Which settings have changed since the first run ended?
select coalesce(present.config_key, past.config_key) as changed_key, past.config_value as value_then, present.config_value as value_now
from (select * from coordinator.config where job_name = 'wordcount_pv' and job_id = '1') present
full join coordinator.config_as_of('wordcount_pv', '1', '2026-11-21 09:16:59+00') past using (config_key)
where present.config_value is distinct from past.config_value
order by changed_key;
