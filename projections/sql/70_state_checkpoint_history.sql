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
comment on view coordinator.state_checkpoint_history is 'The state markers of every checkpoint ever written: a row a store.';
