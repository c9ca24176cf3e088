-- Config: a row a key that is set.
create function projection.config_state(log_id integer, incarnation integer, cut bigint)
returns table (config_key text, config_value text, is_sensitive boolean,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'config_value', m.is_sensitive or coalesce((m.body ->> 'is_sensitive')::boolean, false),
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-config') m
$$;
