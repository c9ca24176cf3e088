-- The rows of projection.job_coordinator_metadata as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.job_coordinator_metadata_at(log_id integer, cut bigint, keys integer[]) returns setof projection.job_coordinator_metadata language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'epoch_id', m.body ->> 'config_id', m.body ->> 'job_model_id', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-job-coordinator-metadata', $3) m
$$;

create view coordinator.job_coordinator_metadata as
select j.job_name, j.job_id, j.job_bucket, r.cluster_type, r.epoch_id, r.config_id, r.job_model_id,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.job_coordinator_metadata r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.job_coordinator_metadata is E'The metadata of the last job coordinator, for each cluster type. A job coordinator that finds its own values here leaves the running containers alone.\nKey: job_name, job_id, cluster_type.';
comment on column coordinator.job_coordinator_metadata.cluster_type is 'The type of cluster that the coordinator runs on: YARN or NON_YARN.';
comment on column coordinator.job_coordinator_metadata.epoch_id is 'The deployment; on YARN the application id, which all attempts share. Null: the message has none.';
comment on column coordinator.job_coordinator_metadata.config_id is 'A checksum of the config keys that begin with job.autosizing and their values; 0 if there are none. Null: the message has none.';
comment on column coordinator.job_coordinator_metadata.job_model_id is 'A checksum of the containers with their tasks and partitions. Null: the message has none.';

create view coordinator.job_coordinator_metadata_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as cluster_type,
  m.body ->> 'epoch_id' as epoch_id, m.body ->> 'config_id' as config_id, m.body ->> 'job_model_id' as job_model_id, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-job-coordinator-metadata';
comment on view coordinator.job_coordinator_metadata_history is E'Every event that set or deleted the metadata of a job coordinator. A coordinator writes it only if it differs from what is there.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, cluster_type.';
comment on column coordinator.job_coordinator_metadata_history.cluster_type is 'The type of cluster that the coordinator runs on: YARN or NON_YARN.';
comment on column coordinator.job_coordinator_metadata_history.epoch_id is 'The deployment; on YARN the application id, which all attempts share. Null: the message has none, or the event deletes it.';
comment on column coordinator.job_coordinator_metadata_history.config_id is 'A checksum of the config keys that begin with job.autosizing and their values; 0 if there are none. Null: the message has none, or the event deletes it.';
comment on column coordinator.job_coordinator_metadata_history.job_model_id is 'A checksum of the containers with their tasks and partitions. Null: the message has none, or the event deletes it.';
