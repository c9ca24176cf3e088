-- Which startpoints were fanned out and are not yet consumed?
-- May find nothing.
select job_name, job_id, task_name, stream_name, partition_id, startpoint_type, startpoint_value, fanned_out_at
from coordinator.startpoint_fan_out
order by fanned_out_at;

-- Which startpoints did the second run fan out to its tasks?
select task_name, stream_name, partition_id, startpoint_type, startpoint_value, created_at
from coordinator.startpoint_fan_out_as_of_offset('wordcount_pv', '1', 194)
order by task_name, stream_name, partition_id;

-- How long after their creation were startpoints fanned out?
select task_name, stream_name, partition_id, fanned_out_at - created_at as waited
from coordinator.startpoint_fan_out_as_of_offset('wordcount_pv', '1', 194)
order by waited desc;
