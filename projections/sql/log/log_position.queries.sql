-- How far has each log been folded, and what is its lag?
select job_name, job_id, stream_kind, next_offset, end_offset, lag, state, heartbeat_at
from coordinator.log_position
order by lag desc nulls first, job_name, job_id, stream_kind;

-- From which offset does a replay job continue after it has read everything here?
select stream_name, incarnation, next_offset
from coordinator.log_position
where job_name = 'wordcount_pv' and job_id = '1'
order by stream_name, incarnation desc;

-- Which logs have more than one incarnation?
-- May find nothing.
select stream_name, max(incarnation) as incarnations, max(heartbeat_at) as last_heartbeat_at
from coordinator.log_position
group by stream_name
having max(incarnation) > 1
order by stream_name;
