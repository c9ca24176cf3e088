-- How far is each log folded, and how far behind is it?
select job_name, job_id, stream_kind, next_offset, end_offset, lag, state, heartbeat_at
from coordinator.log_position
order by lag desc nulls first, job_name, job_id, stream_kind;

-- From where must a replay job go on after it has read everything that is here?
select stream_name, incarnation, next_offset
from coordinator.log_position
where job_name = 'wordcount_pv' and job_id = '1'
order by stream_name, incarnation desc;

-- Which logs has something happened to, so that there is more than one incarnation?
-- May well find nothing.
select stream_name, max(incarnation) as incarnations, max(heartbeat_at) as last_heartbeat_at
from coordinator.log_position
group by stream_name
having max(incarnation) > 1
order by stream_name;
