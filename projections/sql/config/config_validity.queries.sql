-- Which settings were valid at a given time?
select config_key, config_value, valid_from
from coordinator.config_validity
where job_name = 'wordcount_pv' and job_id = '1'
  and valid_from <= '2026-11-21 09:17:01+00' and (valid_to > '2026-11-21 09:17:01+00' or valid_to is null)
order by config_key;

-- How long was each value of a setting valid?
select config_key, config_value, valid_from, valid_to, coalesce(valid_to, now()) - valid_from as held
from coordinator.config_validity
where job_name = 'wordcount_pv' and job_id = '1' and config_key like 'task.%'
order by config_key, incarnation, from_log_offset;

-- Which settings have had more than one value?
select job_name, job_id, config_key, count(*) as stretches, max(valid_from) as last_changed_at
from coordinator.config_validity
group by job_name, job_id, config_key
having count(*) > 1
order by job_name, job_id, config_key;
