-- Which offsets has this task committed for one partition, in order?
select log_offset, record_time, checkpoint_version, input_offset
from coordinator.checkpoint_history
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 3' and is_preferred
  and stream_name = 'page-views' and partition_id = 3
order by incarnation, log_offset;

-- Where did an input offset go back from one commit to the next?
-- May find nothing.
select task_name, stream_name, partition_id, before, input_offset_number as after, record_time, log_offset
from (
  select *, lag(input_offset_number) over (
    partition by task_name, system_name, stream_name, partition_id, key_bucket order by incarnation, log_offset) as before
  from coordinator.checkpoint_history
  where job_name = 'wordcount_pv' and job_id = '1' and is_preferred) steps
where input_offset_number < before
order by incarnation, log_offset;

-- Which commits in a range of the log have several partitions?
select log_offset, task_name, count(*) as partitions, min(partition_id) as first_partition, max(partition_id) as last_partition
from coordinator.checkpoint_history
where job_name = 'wordcount_pv' and job_id = '1' and log_offset between 300 and 387 and is_preferred
group by log_offset, task_name
having count(*) > 1
order by log_offset;
