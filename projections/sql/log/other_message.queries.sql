-- Which message types have no relation of their own?
select message_type, count(*) as messages, max(record_time) as last_at
from coordinator.other_message
group by message_type
order by messages desc;

-- Which container placements were requested, and how did they end?
select message_key, message_value, record_time
from coordinator.other_message
where job_name = 'wordcount_pv' and job_id = '1' and message_type = 'samza-place-container-v1'
order by log_offset;

-- Does any job use a message type that another job does not?
select message_type, string_agg(distinct job_name || '/' || job_id, ', ') as jobs
from coordinator.other_message
group by message_type
order by message_type;
