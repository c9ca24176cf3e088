-- Every changelog partition ever given to a task or taken from it.
create view coordinator.changelog_mapping_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as task_name, (m.body ->> 'changelog_partition')::integer as changelog_partition, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-changelog';
comment on view coordinator.changelog_mapping_history is E'Every event that gave a task its changelog partition, or took it away.\nKey: provenance.';
comment on column coordinator.changelog_mapping_history.changelog_partition is 'The partition, the same in every changelog of the job. Null: the event takes it away.';
