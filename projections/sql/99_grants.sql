-- Who may read the relations: nobody but these roles. Last, and with the relations: what is made again has no grants.
revoke all on all functions in schema projection, coordinator from public;
grant usage on schema projection, coordinator to coordstream_reader, coordstream_replayer;
grant select on all tables in schema projection, coordinator to coordstream_reader, coordstream_replayer;
grant execute on all functions in schema projection, coordinator to coordstream_reader, coordstream_replayer;
