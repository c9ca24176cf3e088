-- The relation coordinator.container_execution of one log, now (cut null) or as of an offset.
create function projection.container_execution_state(log_id integer, incarnation integer, cut bigint)
returns table (container_id text, execution_container_id text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'execution_container_id',
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-execution-env-container-id-mapping') m
$$;

create view coordinator.container_execution as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.current_job j cross join lateral projection.container_execution_state(j.coordinator_log, j.coordinator_incarnation, cut => null) r;
comment on view coordinator.container_execution is E'The id that the cluster (YARN) gave to each container. Jobs write it only with high availability of the application master. The rows of containers that no longer exist stay.\nKey: job_name, job_id, container_id.';
comment on column coordinator.container_execution.container_id is 'The container, as the job numbers it.';
comment on column coordinator.container_execution.execution_container_id is 'The id that the cluster gave to the container, for example container_1700000000001_0042_01_000002.';

create view coordinator.container_execution_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as container_id, m.body ->> 'execution_container_id' as execution_container_id, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-execution-env-container-id-mapping';
comment on view coordinator.container_execution_history is E'Every event that set or deleted the id that the cluster gave to a container.\nKey: job_name, job_id, stream_kind, incarnation, log_offset.';
comment on column coordinator.container_execution_history.container_id is 'The container, as the job numbers it.';
comment on column coordinator.container_execution_history.execution_container_id is 'The id that the cluster gave to the container, for example container_1700000000001_0042_01_000002. Null: the event deletes the container''s id.';
