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
