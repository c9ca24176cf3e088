-- What the last job coordinator of every cluster type was started with.
create view coordinator.job_coordinator_metadata as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.job_coordinator_metadata_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.job_coordinator_metadata is E'What the last job coordinator of every cluster type was started with: a coordinator that finds its own values here lets the running containers be.\nKey: cluster_type.';
comment on column coordinator.job_coordinator_metadata.cluster_type is 'The kind of cluster that the coordinator runs on: YARN, or NON_YARN.';
comment on column coordinator.job_coordinator_metadata.epoch_id is 'The deployment: on YARN its application, the same over all attempts. Null: the message has none.';
comment on column coordinator.job_coordinator_metadata.config_id is 'A checksum of the config keys that begin with job.autosizing, with their values; 0 where there are none. Null: the message has none.';
comment on column coordinator.job_coordinator_metadata.job_model_id is 'A checksum of the containers with their tasks and partitions. Null: the message has none.';
