-- Needs: *, as_of
-- Who may read the relations: nobody but these roles. Last, and with the relations: what is made again has no grants.
-- Volatile functions of the projection are the projector's: they write.
revoke all on all functions in schema projection, coordinator from public;
grant usage on schema projection, coordinator to coordstream_reader, coordstream_replayer;
grant select on all tables in schema projection, coordinator to coordstream_reader, coordstream_replayer;
grant execute on all functions in schema coordinator to coordstream_reader, coordstream_replayer;
do $$
declare
  reading regprocedure;
begin
  for reading in select oid from pg_proc where pronamespace = 'projection'::regnamespace and provolatile <> 'v' loop
    execute format('grant execute on function %s to coordstream_reader, coordstream_replayer', reading);
  end loop;
end $$;
