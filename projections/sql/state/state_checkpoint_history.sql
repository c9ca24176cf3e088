-- The state markers of every checkpoint ever written, a row a store; deletes and stateless checkpoints are one row without a store.
create view coordinator.state_checkpoint_history as
select c.job_name, c.job_id, c.job_bucket, c.task_name,
  case when l.n is not null then coalesce(l.store_name, c.store_names[array_position(c.changelogs, l.system_name || '.' || l.stream_name)], '') end as store_name,
  case when l.n is not null then coalesce(l.factory_name, 'org.apache.samza.storage.KafkaChangelogStateBackendFactory') end as factory_name,
  l.marker_prefix || coalesce(x.state_offset, '') || l.marker_suffix as marker,
  l.system_name as changelog_system, l.stream_name as changelog_stream, l.partition_id as changelog_partition,
  case when l.stream_name is not null then x.state_offset end as changelog_offset, c.checkpoint_id, c.checkpoint_version,
  c.operation, c.is_preferred,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.commit c
left join projection.checkpoint_layout l on l.log_id = c.log_id and l.layout_id = c.layout_id
  and (l.is_state or c.checkpoint_version = 1 and coalesce(l.system_name || '.' || l.stream_name = any (c.changelogs), false))
left join lateral (select projection.offset_of(c.offsets, c.offsets_odd, l.n)) x(state_offset) on true;
comment on view coordinator.state_checkpoint_history is E'The state of every checkpoint ever written, a row a store and backend. A delete and a checkpoint without state are one row whose store is null.\nKey: provenance, store_name, factory_name, changelog_system, changelog_stream, changelog_partition.';
comment on column coordinator.state_checkpoint_history.store_name is 'The store; empty where version 1 names a changelog and the config no store. Null: a delete, or a checkpoint without state.';
comment on column coordinator.state_checkpoint_history.factory_name is 'The class of the backend that wrote the state. Null: a delete, or a checkpoint without state.';
comment on column coordinator.state_checkpoint_history.marker is 'What the backend wrote in order to find its backup again. Null: a delete or no state; version 1 has no markers.';
comment on column coordinator.state_checkpoint_history.changelog_system is 'The changelog''s system. Null: a delete or no state, or the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint_history.changelog_stream is 'The changelog''s stream. Null: a delete or no state, or the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint_history.changelog_partition is 'The changelog''s partition. Null: a delete or no state, or the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint_history.changelog_offset is 'The last offset of the changelog that belongs to the checkpoint. Null: a delete or no state, the changelog was empty, or the backend keeps none in Kafka.';
comment on column coordinator.state_checkpoint_history.checkpoint_id is 'Which commit it was: versions 1 and 2 of one commit have the same. Null: a delete; versions 0 and 1 have it only where state was committed.';
