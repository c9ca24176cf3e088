-- How many events of each type are there, and how large are they?
select message_type, operation, count(*) as events, sum(value_bytes) as total_bytes
from coordinator.event
where job_name = 'wordcount_pv' and job_id = '1'
group by message_type, operation
order by events desc;

-- Which events are next to this one?
select log_offset, record_time, message_type, message_key, operation, source, host
from coordinator.event
where job_name = 'wordcount_pv' and job_id = '1' and stream_kind = 'coordinator' and log_offset between 180 and 200
order by incarnation, log_offset;

-- Who wrote to the job's log when something went wrong?
select source, host, username, count(*) as events
from coordinator.event
where job_name = 'wordcount_pv' and job_id = '1' and stream_kind = 'coordinator'
  and record_time between '2026-11-21 09:17:00+00' and '2026-11-21 09:17:10+00'
group by source, host, username
order by events desc;
