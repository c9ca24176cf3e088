-- The rows of projection.container_execution as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.container_execution_at(log_id integer, cut bigint, keys integer[]) returns setof projection.container_execution language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'execution_container_id', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-execution-env-container-id-mapping', $3) m
$$;

create view coordinator.container_execution as
select j.job_name, j.job_id, j.job_bucket, r.container_id, r.execution_container_id,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.container_execution r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.container_execution is E'The id that the cluster (YARN) gave to each container. Jobs write it only with high availability of the application master. The rows of containers that no longer exist stay.\nKey: job_name, job_id, container_id.';
comment on column coordinator.container_execution.container_id is 'The container, as the job numbers it.';
comment on column coordinator.container_execution.execution_container_id is 'The id that the cluster gave to the container, for example container_1700000000001_0042_01_000002.';

create view coordinator.container_execution_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as container_id, m.body ->> 'execution_container_id' as execution_container_id, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-execution-env-container-id-mapping';
comment on view coordinator.container_execution_history is E'Every event that set or deleted the id that the cluster gave to a container.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, container_id.';
comment on column coordinator.container_execution_history.container_id is 'The container, as the job numbers it.';
comment on column coordinator.container_execution_history.execution_container_id is 'The id that the cluster gave to the container, for example container_1700000000001_0042_01_000002. Null: the event deletes the container''s id.';
