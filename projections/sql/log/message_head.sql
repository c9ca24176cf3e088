-- The newest event of each message key of a log that is not a delete: now (cut null), or as of an offset (inclusive).
-- message_type null = the types that only other_message shows. Keys that differ only in their spelling (white space, order of fields)
-- count as one; if one of them is deleted, the newest of the others remains.
create function projection.message_head(log_id integer, cut bigint, message_type text)
returns table (log_id integer, key_id integer, message_type text, message_key text,
               system_name text, stream_name text, partition_id integer, key_bucket integer, is_sensitive boolean, body jsonb,
               record_time timestamptz, message_time timestamptz, source text, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select distinct on (m.message_type, m.message_key) m.log_id, m.key_id, m.message_type, m.message_key,
    m.system_name, m.stream_name, m.partition_id, m.key_bucket, m.is_sensitive, m.body,
    m.record_time, m.message_time, m.source, m.host, m.username, m.log_offset
  from (
    select k.log_id, k.key_id, k.message_type, k.message_key, k.system_name, k.stream_name, k.partition_id, k.key_bucket, k.is_sensitive,
      c.body, c.record_time, c.message_time, c.source, c.host, c.username, c.log_offset
    from projection.message_current c
    join projection.event_key k on k.log_id = c.log_id and k.key_id = c.key_id
    where $2 is null and c.log_id = $1 and (k.message_type = $3 and not k.is_other or $3 is null and k.is_other)
    union all
    select k.log_id, k.key_id, k.message_type, k.message_key, k.system_name, k.stream_name, k.partition_id, k.key_bucket, k.is_sensitive,
      h.body, h.record_time, h.message_time, h.source, h.host, h.username, h.log_offset
    from projection.event_key k
    cross join lateral (
      select e.* from projection.message_event e
      where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= $2
      order by e.log_offset desc limit 1) h
    where $2 is not null and k.log_id = $1 and (k.message_type = $3 and not k.is_other or $3 is null and k.is_other) and h.body is not null) m
  order by m.message_type, m.message_key, m.log_offset desc
$$;
