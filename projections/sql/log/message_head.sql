-- Some keys of a log; `offset 0`: each is looked up, whatever the planner expects of the array.
create function projection.keys_of(log_id integer, keys integer[]) returns setof projection.event_key language sql stable parallel safe as $$
  select k.* from unnest($2) u(key_id)
  cross join lateral (select e.* from projection.event_key e where e.log_id = $1 and e.key_id = u.key_id offset 0) k
$$;

-- The newest event of each message key of a log that is not a delete, as of an offset (inclusive; cut null = the log's end), of some keys
-- (null = all). message_type null = the types that only other_message shows. Keys that differ only in their spelling (white space, order
-- of fields) count as one; if one of them is deleted, the newest of the others remains.
create function projection.message_head(log_id integer, cut bigint, message_type text, keys integer[])
returns table (log_id integer, key_id integer, message_type text, message_key text,
               system_name text, stream_name text, partition_id integer, key_bucket integer, is_sensitive boolean, body jsonb,
               record_time timestamptz, message_time timestamptz, source text, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select distinct on (k.message_type, k.message_key) k.log_id, k.key_id, k.message_type, k.message_key,
    k.system_name, k.stream_name, k.partition_id, k.key_bucket, k.is_sensitive, h.body,
    h.record_time, h.message_time, h.source, h.host, h.username, h.log_offset
  from (
    select e.* from projection.event_key e where $4 is null and e.log_id = $1 and (e.message_type = $3 and not e.is_other or $3 is null and e.is_other)
    union all
    select e.* from projection.keys_of($1, $4) e
    where e.message_type = $3 and not e.is_other or $3 is null and e.is_other) k
  cross join lateral (
    select e.* from projection.message_event e
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
    order by e.log_offset desc limit 1) h
  where h.body is not null
  order by k.message_type, k.message_key, h.log_offset desc
$$;

-- These keys of a log, and those that differ from one of them only in their spelling. Other messages have no index by their key.
create function projection.spelling(log_id integer, keys integer[])
returns table (message_type text, key_id integer) language sql stable parallel safe as $$
  select k.message_type, s.key_id
  from projection.keys_of($1, $2) k
  cross join lateral (
    select s.key_id from projection.event_key s
    where s.log_id = $1 and s.message_type = k.message_type and not s.is_other
      and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key offset 0) s
  where not k.is_other
  union
  select null, s.key_id
  from projection.event_key s
  where s.log_id = $1 and s.is_other
    and (s.message_type, s.message_key) in (select k.message_type, k.message_key from projection.keys_of($1, $2) k where k.is_other)
$$;

-- The tables of current rows of one type of messages each ('' = the types without one of their own), which is the type that the table's
-- `_at` function reads.
create view projection.message_table as
select left(p.proname, -3)::text as name, coalesce(substring(p.prosrc from 'message_head\(\$1, \$2, ''([^'']+)'), '') as message_type
from pg_proc p
where p.pronamespace = 'projection'::regnamespace and p.proname like '%\_at' and p.proargnames[1:3] = '{log_id,cut,keys}';
