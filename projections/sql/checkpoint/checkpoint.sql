create view coordinator.checkpoint as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket,
  r.input_offset, r.input_offset_number, r.checkpoint_id, r.checkpoint_version,
  case j.stream_kind when 'checkpoint' then 'checkpoint-topic' else 'coordinator-stream' end as origin,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.checkpoint r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.checkpoint is E'The checkpoint that each task would start from: one row per input partition. It is read from the checkpoint topic if the job has one, else from the coordinator stream. The job''s config says which versions count, and in which order.\nKey: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.checkpoint.input_offset is 'The last processed offset, as the input system writes it: the task continues after it. Null: the checkpoint has the partition without an offset.';
comment on column coordinator.checkpoint.input_offset_number is 'input_offset as a number. Null: it is not an integer of at most 19 digits in the range of bigint.';
comment on column coordinator.checkpoint.checkpoint_id is 'Identifies the commit: a time in ms and a part that distinguishes commits of the same time. Null: versions 0 and 1 have it only if state was committed.';
