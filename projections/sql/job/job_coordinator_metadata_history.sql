-- What every job coordinator that differed from the one before it was started with, and deletions.
create view coordinator.job_coordinator_metadata_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as cluster_type,
  m.body ->> 'epoch_id' as epoch_id, m.body ->> 'config_id' as config_id, m.body ->> 'job_model_id' as job_model_id, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-job-coordinator-metadata';
comment on view coordinator.job_coordinator_metadata_history is E'What every job coordinator that differed from the one before it was started with, and deletions.\nKey: provenance.';
comment on column coordinator.job_coordinator_metadata_history.cluster_type is 'The kind of cluster that the coordinator runs on: YARN, or NON_YARN.';
comment on column coordinator.job_coordinator_metadata_history.epoch_id is 'The deployment: on YARN its application, the same over all attempts. Null: the message has none, or the event deletes it.';
comment on column coordinator.job_coordinator_metadata_history.config_id is 'A checksum of the config keys that begin with job.autosizing, with their values; 0 where there are none. Null: the message has none, or the event deletes it.';
comment on column coordinator.job_coordinator_metadata_history.job_model_id is 'A checksum of the containers with their tasks and partitions. Null: the message has none, or the event deletes it.';
