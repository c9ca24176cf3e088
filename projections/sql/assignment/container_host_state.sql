-- Host of every container.
create function projection.container_host_state(log_id integer, incarnation integer, cut bigint)
returns table (container_id text, host_name text, jmx_url text, jmx_tunneling_url text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'host_name', m.body ->> 'jmx_url', m.body ->> 'jmx_tunneling_url',
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-container-host-assignment') m
$$;
