-- Every id that the cluster ever gave to a container, and its deletions.
create view coordinator.container_execution_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as container_id, m.body ->> 'execution_container_id' as execution_container_id, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-execution-env-container-id-mapping';
comment on view coordinator.container_execution_history is E'Every id that the cluster ever gave to a container, and its deletions.\nKey: provenance.';
comment on column coordinator.container_execution_history.container_id is 'The container, as the job numbers it.';
comment on column coordinator.container_execution_history.execution_container_id is 'The id that the cluster gave to it, such as container_1700000000001_0042_01_000002. Null: the event deletes the container''s id.';
