-- What did each rewind of the job ask, and what was read again?
select fanned_out_at, startpoint_type, startpoint_value, count(*) as partitions, sum(records_again) as records_again,
  sum(records_skipped) as records_skipped, count(*) filter (where status <> 'consumed') as not_followed
from coordinator.rewind
where job_name = 'wordcount_pv' and job_id = '1'
group by fanned_out_at, startpoint_type, startpoint_value
order by fanned_out_at, startpoint_type, startpoint_value;

-- Which tasks did not start where they were asked to?
-- May find nothing.
select job_name, job_id, task_name, stream_name, partition_id, startpoint_type, startpoint_value, status, previous_offset, input_offset
from coordinator.rewind
where status <> 'consumed'
order by job_name, job_id, record_time, task_name, stream_name, partition_id;

-- Which jobs have read most again?
select job_name, job_id, sum(records_again) as records_again
from coordinator.rewind
group by job_name, job_id
order by records_again desc nulls last, job_name, job_id;
