-- The config keys that say where reading a stream begins without a checkpoint (`default`), and whether its checkpoints
-- are left aside (`reset`); of each rule the first that is set counts.
create function projection.offset_setting(system_name text, stream_name text)
returns table (rule text, place integer, config_key text) language sql immutable parallel safe as $$
  values ('reset', 1, 'systems.' || $1 || '.streams.' || $2 || '.samza.reset.offset'),
         ('reset', 2, 'systems.' || $1 || '.default.stream.samza.reset.offset'),
         ('default', 1, 'systems.' || $1 || '.streams.' || $2 || '.samza.offset.default'),
         ('default', 2, 'systems.' || $1 || '.default.stream.samza.offset.default'),
         ('default', 3, 'systems.' || $1 || '.samza.offset.default')
$$;
