-- How far has each task read each partition?
select task_name, system_name, stream_name, partition_id, input_offset, record_time
from coordinator.checkpoint
where job_name = 'wordcount_pv' and job_id = '1'
order by stream_name, partition_id, task_name;

-- Which tasks have the oldest checkpoints of the fleet?
select job_name, job_id, task_name, max(record_time) as committed_at, checkpoint_version
from coordinator.checkpoint
group by job_name, job_id, task_name, checkpoint_version
order by committed_at
limit 10;

-- What was the offset of each partition when the first run ended, and how far has it advanced since?
select task_name, stream_name, partition_id, key_bucket, past.input_offset as offset_then, present.input_offset as offset_now,
  present.input_offset_number - past.input_offset_number as processed_since
from coordinator.checkpoint present
join coordinator.checkpoint_as_of('wordcount_pv', '1', '2026-11-21 09:16:59+00') past
  using (job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket)
order by stream_name, partition_id, task_name;
