-- When was this setting written, by whom, and with what value?
select log_offset, record_time, operation, config_value, source, host, username
from coordinator.config_history
where job_name = 'wordcount_pv' and job_id = '1' and config_key = 'app.note'
order by incarnation, log_offset;

-- Which config keys were deleted, and when?
select config_key, record_time, log_offset
from coordinator.config_history
where job_name = 'wordcount_pv' and job_id = '1' and operation = 'delete'
order by incarnation, log_offset;

-- How many keys did each deployment write?
select date_trunc('minute', record_time) as minute, source, count(*) as keys_written
from coordinator.config_history
where job_name = 'wordcount_pv' and job_id = '1' and operation = 'set'
group by minute, source
order by minute, source;
