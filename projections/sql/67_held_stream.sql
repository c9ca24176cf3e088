-- Which streams are held by a session that may write, and since when nothing was heard of it (null: it is at work now).
-- A lock counts with its entry in stream_holder only, which a login without rights can't make. What other users may not
-- see of a session is told by heartbeats.
create view projection.held_stream as
select h.stream_name, h.backend_pid, h.working_pid, h.taken_at, coalesce(a.client_hostname, host(a.client_addr)) as host_name,
  nullif(a.application_name, '') as application_name, a.backend_start,
  case when a.state is null then (select max(p.heartbeat_at) from projection.job_log j
                                  join projection.position p on p.log_id = j.log_id where j.stream_name = h.stream_name)
       when a.state <> 'active' or a.wait_event = 'ClientRead' then a.state_change end as last_seen_at
from projection.stream_holder h
join pg_locks l on l.pid = h.backend_pid and l.locktype = 'advisory' and l.granted and l.objsubid = 2
  and l.classid = 7106407 and l.objid::bigint = h.lock_id
  and l.database = (select d.oid from pg_database d where d.datname = current_database())
join pg_stat_activity a on a.pid = l.pid
where has_table_privilege(a.usesysid, 'projection.stream_holder', 'update');
