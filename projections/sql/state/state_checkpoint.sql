create view coordinator.state_checkpoint as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.store_name, r.factory_name, r.marker, r.changelog_system, r.changelog_stream,
  r.changelog_partition, r.changelog_offset, r.checkpoint_id, r.checkpoint_version,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.state_checkpoint r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.state_checkpoint is E'The state in the checkpoint that each task would start from: how far each store was backed up when the checkpoint was written, one row per store and backend. Checkpoints of version 1 have changelogs without stores; if config does not name the store of a changelog, store_name is empty, and the changelog distinguishes the rows.\nKey: job_name, job_id, task_name, store_name, factory_name, changelog_system, changelog_stream, changelog_partition.';
comment on column coordinator.state_checkpoint.store_name is 'The store; empty if version 1 has a changelog for which config names no store.';
comment on column coordinator.state_checkpoint.marker is 'What the backend wrote to find its backup again. Null: version 1 has no markers.';
comment on column coordinator.state_checkpoint.changelog_system is 'The system of the changelog. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint.changelog_stream is 'The stream of the changelog. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint.changelog_partition is 'The partition of the changelog. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint.changelog_offset is 'The last offset of the changelog that is part of the checkpoint. Null: the changelog was empty, or the backend keeps none in Kafka.';
comment on column coordinator.state_checkpoint.checkpoint_id is 'Identifies the commit: a time in ms and a part that distinguishes commits of the same time. Null: version 1 has it only in changelog offsets that include it.';

create view coordinator.state_checkpoint_history as
select c.job_name, c.job_id, c.job_bucket, c.task_name,
  case when l.n is not null then coalesce(l.store_name, c.store_names[array_position(c.changelogs, l.system_name || '.' || l.stream_name)], '') end as store_name,
  case when l.n is not null then coalesce(l.factory_name, 'org.apache.samza.storage.KafkaChangelogStateBackendFactory') end as factory_name,
  l.marker_prefix || coalesce(l.value, '') || l.marker_suffix as marker,
  l.system_name as changelog_system, l.stream_name as changelog_stream, l.partition_id as changelog_partition,
  case when l.stream_name is not null then l.value end as changelog_offset, c.checkpoint_id, c.checkpoint_version,
  c.operation, c.is_preferred,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.counted_commit c
left join lateral projection.opened(c.layout, c.offsets, c.offsets_odd) l
  on l.is_state or projection.is_changelog(c.checkpoint_version, l.system_name, l.stream_name, c.changelogs);
comment on view coordinator.state_checkpoint_history is E'The state in every checkpoint ever written: one row per store and backend. A delete or a checkpoint without state is one row whose store is null.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, task_name, checkpoint_version, store_name, factory_name, changelog_system, changelog_stream, changelog_partition.';
comment on column coordinator.state_checkpoint_history.store_name is 'The store; empty if version 1 has a changelog for which config names no store. Null: a delete, or a checkpoint without state.';
comment on column coordinator.state_checkpoint_history.factory_name is 'The class of the backend that wrote the state. Null: a delete, or a checkpoint without state.';
comment on column coordinator.state_checkpoint_history.marker is 'What the backend wrote to find its backup again. Null: a delete or no state; version 1 has no markers.';
comment on column coordinator.state_checkpoint_history.changelog_system is 'The system of the changelog. Null: a delete or no state, or the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint_history.changelog_stream is 'The stream of the changelog. Null: a delete or no state, or the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint_history.changelog_partition is 'The partition of the changelog. Null: a delete or no state, or the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint_history.changelog_offset is 'The last offset of the changelog that is part of the checkpoint. Null: a delete or no state, the changelog was empty, or the backend keeps none in Kafka.';
comment on column coordinator.state_checkpoint_history.checkpoint_id is 'Identifies the commit: versions 1 and 2 of one commit have the same id. Null: a delete; versions 0 and 1 have it only if state was committed.';
