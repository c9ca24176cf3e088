-- What readers of the projection may read of the observations.
create view projection.observed_input as
select b.job_suffix, b.system_name, b.stream_name, b.partition_id, b.oldest_offset, b.end_offset, b.end_record_time, b.observed_at
from eventlog.input_bound b;

create view coordinator.input_bound as
select j.job_name, j.job_id, j.job_bucket, b.system_name, b.stream_name, b.partition_id,
  b.oldest_offset, b.end_offset, b.end_record_time, b.observed_at
from projection.current_job j
join projection.observed_input b on b.job_suffix = j.job_suffix;
comment on view coordinator.input_bound is E'How far the inputs of the jobs reached, as observed by `coordstream follow --input-bounds` and `coordstream lag`: one row per partition and observation. Observations are kept for a week.\nKey: job_name, job_id, system_name, stream_name, partition_id, observed_at.';
comment on column coordinator.input_bound.oldest_offset is 'The first offset that can be read. Null: unknown, because the input could not be asked, or it is not Kafka.';
comment on column coordinator.input_bound.end_offset is 'The offset after the last record. Null: unknown, as oldest_offset.';
comment on column coordinator.input_bound.end_record_time is 'The newest record time in the partition. Null: unknown, as oldest_offset, or the partition is empty, or its broker is older than Kafka 3.0, or timestamptz cannot represent the time.';
comment on column coordinator.input_bound.observed_at is 'When the input was asked.';
