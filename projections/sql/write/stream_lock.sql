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

-- Take a stream for this session, and say whether it was free. An advisory lock that frees it when the session ends, and
-- an entry that needs the right to write: a lock that somebody else holds under the same number is passed over.
create function projection.take_stream(of_stream text, working_pid integer) returns boolean language plpgsql as $$
declare
  number integer;
begin
  insert into projection.stream_holder (stream_name, lock_id, backend_pid, taken_at)
  values (of_stream, floor(random() * 2147483647)::integer, 0, now()) on conflict do nothing;
  select h.lock_id into number from projection.stream_holder h where h.stream_name = of_stream for update;
  while not pg_try_advisory_lock(7106407, number) loop
    if exists (select from projection.held_stream h where h.stream_name = of_stream) then
      return false;
    end if;
    number := floor(random() * 2147483647)::integer;
  end loop;
  update projection.stream_holder h
  set lock_id = number, backend_pid = pg_backend_pid(), working_pid = take_stream.working_pid, taken_at = clock_timestamp()
  where h.stream_name = of_stream;
  return true;
end $$;
