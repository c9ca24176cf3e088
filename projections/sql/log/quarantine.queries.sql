-- Which events cannot be read now, and why?
-- May find nothing.
select job_name, job_id, stream_name, log_offset, reason, detail, key_text
from coordinator.quarantine
where not is_resolved
order by job_name, job_id, stream_name, log_offset;

-- Which kinds of errors occur, and where?
-- May find nothing.
select reason, stream_name, count(*) as events, max(record_time) as last_at
from coordinator.quarantine
group by reason, stream_name
order by events desc;

-- Is the same unreadable value written repeatedly?
-- May find nothing.
select stream_name, key_text, value_fingerprint, count(*) as times
from coordinator.quarantine
where value_fingerprint is not null
group by stream_name, key_text, value_fingerprint
having count(*) > 1
order by times desc;
