-- Id that the cluster gave to every container.
create function projection.container_execution_state(log_id integer, incarnation integer, cut bigint)
returns table (container_id text, execution_container_id text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'execution_container_id',
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-execution-env-container-id-mapping') m
$$;
