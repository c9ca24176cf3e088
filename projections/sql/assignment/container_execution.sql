-- The id that the cluster gave to every container.
create view coordinator.container_execution as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.container_execution_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.container_execution is E'The id that the cluster (YARN) gave to every container. Jobs write it only with high availability of the application master; what is left of a container that no longer exists stays.\nKey: container_id.';
comment on column coordinator.container_execution.container_id is 'The container, as the job numbers it.';
comment on column coordinator.container_execution.execution_container_id is 'The id that the cluster gave to it, such as container_1700000000001_0042_01_000002.';
