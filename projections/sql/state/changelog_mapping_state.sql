-- Changelog partition of every task.
create function projection.changelog_mapping_state(log_id integer, incarnation integer, cut bigint)
returns table (task_name text, changelog_partition integer,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, (m.body ->> 'changelog_partition')::integer,
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-changelog') m
$$;
