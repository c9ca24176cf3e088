-- The relation coordinator.job_coordinator_metadata of one log, now (cut null) or as of an offset.
create function projection.job_coordinator_metadata_state(log_id integer, incarnation integer, cut bigint)
returns table (cluster_type text, epoch_id text, config_id text, job_model_id text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'epoch_id', m.body ->> 'config_id', m.body ->> 'job_model_id',
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-job-coordinator-metadata') m
$$;

create view coordinator.job_coordinator_metadata as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.current_job j cross join lateral projection.job_coordinator_metadata_state(j.coordinator_log, j.coordinator_incarnation, cut => null) r;
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
comment on view coordinator.job_coordinator_metadata_history is E'Every event that set or deleted the metadata of a job coordinator. A coordinator writes it only if it differs from what is there.\nKey: job_name, job_id, stream_kind, incarnation, log_offset.';
comment on column coordinator.job_coordinator_metadata_history.cluster_type is 'The type of cluster that the coordinator runs on: YARN or NON_YARN.';
comment on column coordinator.job_coordinator_metadata_history.epoch_id is 'The deployment; on YARN the application id, which all attempts share. Null: the message has none, or the event deletes it.';
comment on column coordinator.job_coordinator_metadata_history.config_id is 'A checksum of the config keys that begin with job.autosizing and their values; 0 if there are none. Null: the message has none, or the event deletes it.';
comment on column coordinator.job_coordinator_metadata_history.job_model_id is 'A checksum of the containers with their tasks and partitions. Null: the message has none, or the event deletes it.';
