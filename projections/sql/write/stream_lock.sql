-- The streams that are locked by a session with the right to write, and since when the session has been idle (last_seen_at; null: it is
-- active). An entry in stream_holder counts until its session ends or unlocks the stream (backend_pid 0). A user without the
-- right to write cannot make an entry. If the activity of a session is hidden from the reader, the log's heartbeats show it.
create view projection.locked_stream as
select h.stream_name, h.backend_pid, h.taken_at, coalesce(a.client_hostname, host(a.client_addr)) as host_name,
  nullif(a.application_name, '') as application_name, a.backend_start,
  case when a.state is null then (select max(p.heartbeat_at) from projection.job_log j
                                  join projection.position p on p.log_id = j.log_id where j.stream_name = h.stream_name)
       when a.state <> 'active' or a.wait_event = 'ClientRead' then a.state_change end as last_seen_at
from projection.stream_holder h
cross join lateral pg_stat_get_activity(h.backend_pid) a
where (a.backend_start is null or a.backend_start <= h.taken_at)
  and has_table_privilege(a.usesysid, 'projection.stream_holder', 'update');

-- Locks a stream for this session; false if another session has locked it. The lock is an advisory lock, which ends with the session,
-- and an entry in stream_holder, which needs the right to write. If a session without that right holds an advisory lock of
-- the same number, another number is chosen. A session that has locked the entry for longer than a moment has locked the stream.
create function projection.lock_stream(of_stream text) returns boolean language plpgsql
set lock_timeout = '100ms' as $$
declare
  number integer;
begin
  begin
    insert into projection.stream_holder (stream_name, lock_id, backend_pid, taken_at)
    values (of_stream, floor(random() * 2147483647)::integer, 0, now()) on conflict do nothing;
    select h.lock_id into number from projection.stream_holder h where h.stream_name = of_stream for update;
  exception when lock_not_available then
    return false;
  end;
  while not pg_try_advisory_lock(7106407, number) loop
    if exists (select from projection.locked_stream h where h.stream_name = of_stream) then
      return false;
    end if;
    number := floor(random() * 2147483647)::integer;
  end loop;
  update projection.stream_holder h
  set lock_id = number, backend_pid = pg_backend_pid(), taken_at = clock_timestamp()
  where h.stream_name = of_stream;
  return true;
end $$;
