-- Needs: *, as_of
-- Only these roles may read the relations. Granted with every creation, since a re-created view or function has no grants.
-- The volatile functions of the projection write; only followers, who own them, may call them.
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
