-- The rows of projection.container_host as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.container_host_at(log_id integer, cut bigint, keys integer[]) returns setof projection.container_host language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'host_name', m.body ->> 'jmx_url', m.body ->> 'jmx_tunneling_url', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-container-host-assignment', $3) m
$$;

create view coordinator.container_host as
select j.job_name, j.job_id, j.job_bucket, r.container_id, r.host_name, r.jmx_url, r.jmx_tunneling_url,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.container_host r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.container_host is E'The host that each container last ran on, and the address of its JMX server.\nKey: job_name, job_id, container_id.';
comment on column coordinator.container_host.host_name is 'The host that the container runs on. The host of the message''s writer is in the column host.';
comment on column coordinator.container_host.host is 'The host of the message''s writer, from its envelope, as source and username are. The container''s host is in host_name. Null: there is no envelope, or it has no host.';
comment on column coordinator.container_host.jmx_url is 'The URL of the container''s JMX server. Null: the message has none.';
comment on column coordinator.container_host.jmx_tunneling_url is 'The URL of the container''s JMX server through a tunnel. Null: the message has none.';

create view coordinator.container_host_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as container_id,
  m.body ->> 'host_name' as host_name, m.body ->> 'jmx_url' as jmx_url, m.body ->> 'jmx_tunneling_url' as jmx_tunneling_url, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-container-host-assignment';
comment on view coordinator.container_host_history is E'Every event that set or deleted the host of a container.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, container_id.';
comment on column coordinator.container_host_history.container_id is 'The container, as the job numbers it.';
comment on column coordinator.container_host_history.host_name is 'The host that the container runs on. The host of the message''s writer is in the column host. Null: the event deletes the row.';
comment on column coordinator.container_host_history.host is 'The host of the message''s writer, from its envelope, as source and username are. The container''s host is in host_name. Null: there is no envelope, or it has no host.';
comment on column coordinator.container_host_history.jmx_url is 'The URL of the container''s JMX server; empty if it has none. Null: the message has none, or the event deletes the row.';
comment on column coordinator.container_host_history.jmx_tunneling_url is 'The URL of the container''s JMX server through a tunnel; empty if it has none. Null: the message has none, or the event deletes the row.';

create view coordinator.container_host_validity as
select j.job_name, j.job_id, j.job_bucket, t.message_key as container_id,
  t.body ->> 'host_name' as host_name, t.body ->> 'jmx_url' as jmx_url, t.body ->> 'jmx_tunneling_url' as jmx_tunneling_url,
  t.valid_from, t.valid_to, t.log_offset as from_log_offset, t.next_offset as to_log_offset, j.incarnation
from projection.job_log j
cross join lateral projection.log_shown(j.log_id) s
cross join lateral projection.base_end(j.log_id) b
cross join lateral projection.message_validity(j.log_id, 'set-container-host-assignment', s.since, s.until) t
where j.stream_kind = 'coordinator' and coalesce(t.next_offset > b.last_offset, true);
comment on view coordinator.container_host_validity is E'On which host a container ran, and when: one row per host and JMX address, however often they were written again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are those of container_host_as_of at T. Filters on the job and on the container use indexes.\nKey: job_name, job_id, container_id, host_name, jmx_url, jmx_tunneling_url, incarnation, from_log_offset.';
comment on column coordinator.container_host_validity.host_name is 'The host that the container ran on.';
comment on column coordinator.container_host_validity.jmx_url is 'The URL of the container''s JMX server. Null: the message has none.';
comment on column coordinator.container_host_validity.jmx_tunneling_url is 'The URL of the container''s JMX server through a tunnel. Null: the message has none.';
