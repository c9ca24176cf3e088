-- Which streams are held by a session that may write, and since when nothing was heard of it (null: it is at work now).
-- The entry in stream_holder counts until its session ends or gives the stream back (backend_pid 0); a login without
-- rights can't make one. What other users may not see of a session is told by heartbeats.
create view projection.held_stream as
select h.stream_name, h.backend_pid, h.working_pid, h.taken_at, coalesce(a.client_hostname, host(a.client_addr)) as host_name,
  nullif(a.application_name, '') as application_name, a.backend_start,
  case when a.state is null then (select max(p.heartbeat_at) from projection.job_log j
                                  join projection.position p on p.log_id = j.log_id where j.stream_name = h.stream_name)
       when a.state <> 'active' or a.wait_event = 'ClientRead' then a.state_change end as last_seen_at
from projection.stream_holder h
cross join lateral pg_stat_get_activity(h.backend_pid) a
where (a.backend_start is null or a.backend_start <= h.taken_at)
  and has_table_privilege(a.usesysid, 'projection.stream_holder', 'update');
