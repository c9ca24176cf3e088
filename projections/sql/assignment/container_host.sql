-- The host where every container runs.
create view coordinator.container_host as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.container_host_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.container_host is E'The host where every container ran last, and where its JMX server listens.\nKey: container_id.';
comment on column coordinator.container_host.host_name is 'The host that the container runs on; host is the writer''s.';
comment on column coordinator.container_host.host is 'The writer''s host, by the message''s envelope (source and username name the writer); the container''s is host_name. Null: there is no envelope, or it does not say.';
comment on column coordinator.container_host.jmx_url is 'Where the container''s JMX server listens. Null: the message does not say.';
comment on column coordinator.container_host.jmx_tunneling_url is 'The same, for JMX through a tunnel. Null: the message does not say.';
