-- Host of every container.
create function projection.container_host_state(log_id integer, incarnation integer, cut bigint)
returns table (container_id text, host_name text, jmx_url text, jmx_tunneling_url text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'host_name', m.body ->> 'jmx_url', m.body ->> 'jmx_tunneling_url',
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-container-host-assignment') m
$$;

-- The host where every container runs.
create view coordinator.container_host as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.container_host_state(j.coordinator_log, j.coordinator_incarnation, null) r;
comment on view coordinator.container_host is E'The host where every container ran last, and where its JMX server listens.\nKey: container_id.';
comment on column coordinator.container_host.host_name is 'The host that the container runs on; host is the writer''s.';
comment on column coordinator.container_host.host is 'The writer''s host, by the message''s envelope (source and username name the writer); the container''s is host_name. Null: there is no envelope, or it does not say.';
comment on column coordinator.container_host.jmx_url is 'Where the container''s JMX server listens. Null: the message does not say.';
comment on column coordinator.container_host.jmx_tunneling_url is 'The same, for JMX through a tunnel. Null: the message does not say.';

-- Every host that a container was ever said to run on, and deletions.
create view coordinator.container_host_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as container_id,
  m.body ->> 'host_name' as host_name, m.body ->> 'jmx_url' as jmx_url, m.body ->> 'jmx_tunneling_url' as jmx_tunneling_url, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-container-host-assignment';
comment on view coordinator.container_host_history is E'Every host that a container was ever said to run on, and deletions.\nKey: provenance.';
comment on column coordinator.container_host_history.container_id is 'The container, as the job numbers it.';
comment on column coordinator.container_host_history.host_name is 'The host that the container runs on; host is the writer''s. Null: the event deletes the container''s host.';
comment on column coordinator.container_host_history.host is 'The writer''s host, by the message''s envelope (source and username name the writer); the container''s is host_name. Null: there is no envelope, or it does not say.';
comment on column coordinator.container_host_history.jmx_url is 'Where the container''s JMX is; empty where it has none. Null: the message has none, or the event deletes it.';
comment on column coordinator.container_host_history.jmx_tunneling_url is 'Where the container''s JMX is through a tunnel; empty where it has none. Null: the message has none, or the event deletes it.';
