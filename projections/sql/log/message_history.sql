-- Every event of the message types that have a relation of their own, except checkpoints: decoded, with its job.
create view projection.message_history as
select j.job_name, j.job_id, j.job_bucket, k.message_type, k.message_key, k.system_name, k.stream_name, k.partition_id, k.key_bucket,
  k.is_sensitive or coalesce((e.body ->> 'is_sensitive')::boolean, false) as is_sensitive, e.body,
  case when e.body is null then 'delete' else 'set' end as operation,
  e.record_time, e.message_time, e.source, e.host, e.username, j.stream_kind, j.incarnation, e.log_offset
from projection.job_log j
join projection.message_event e on e.log_id = j.log_id
join projection.event_key k on k.log_id = e.log_id and k.key_id = e.key_id
where not k.is_other;

-- Every event that changed the body of a message key, for one message type of a log: the body before it (null = none) and after it, and the
-- next change (null = none yet). Spellings of one key count as one (see message_head), so that a tombstone of one spelling can
-- uncover another. message_key null = all keys; filters on the key columns reach the key dictionary.
create function projection.message_change(log_id integer, message_type text, message_key text)
returns table (message_key text, system_name text, stream_name text, partition_id integer, key_bucket integer, is_sensitive boolean,
               previous_body jsonb, previous_offset bigint, body jsonb, log_offset bigint, next_body jsonb, next_offset bigint,
               record_time timestamptz, message_time timestamptz, source text, host text, username text)
language sql stable parallel safe as $$
  select t.message_key, t.system_name, t.stream_name, t.partition_id, t.key_bucket, t.is_sensitive,
    t.previous_body, t.previous_offset, t.body, t.log_offset, lead(t.body) over own, lead(t.log_offset) over own,
    t.record_time, t.message_time, t.source, t.host, t.username
  from (
    select s.*, lag(s.body) over own as previous_body, lag(s.log_offset) over own as previous_offset
    from (
      select k.message_key, k.system_name, k.stream_name, k.partition_id, k.key_bucket, k.is_sensitive, coalesce(e.body, u.body) as body,
        e.log_offset, e.record_time, e.message_time, e.source, e.host, e.username
      from projection.event_key k
      join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
      left join lateral (
        select b.body from projection.event_key o
        cross join lateral (
          select h.body, h.log_offset from projection.message_event h
          where h.log_id = o.log_id and h.key_id = o.key_id and h.log_offset <= e.log_offset -- keys swept at once have one offset
          order by h.log_offset desc limit 1) b
        where e.body is null and o.log_id = k.log_id and o.message_type = k.message_type and not o.is_other and o.key_id <> k.key_id
          and left(o.message_key, 100) = left(k.message_key, 100) and o.message_key = k.message_key and b.body is not null
        order by b.log_offset desc limit 1) u on true
      where k.log_id = $1 and k.message_type = $2 and not k.is_other and ($3 is null or k.message_key = $3)) s
    window own as (partition by s.message_key, s.system_name, s.stream_name, s.partition_id, s.key_bucket order by s.log_offset)) t
  where t.body is distinct from t.previous_body
  window own as (partition by t.message_key, t.system_name, t.stream_name, t.partition_id, t.key_bucket order by t.log_offset)
$$;

-- Every body that a key had, and the interval of log_time for which it was valid (see log_validity): where one ends, the next change
-- of the key begins, so that the time of each change is looked up once.
create function projection.message_validity(log_id integer, message_type text, since timestamptz, until timestamptz)
returns table (message_key text, is_sensitive boolean, body jsonb, valid_from timestamptz, valid_to timestamptz, log_offset bigint, next_offset bigint)
language sql stable parallel safe as $$
  select c.message_key, c.is_sensitive, c.body, greatest(c.at, $3),
    case when coalesce(c.next_at, $4) is not null then greatest(c.at, $3, least(c.next_at, $4)) end, c.log_offset, c.next_offset
  from (
    select t.message_key, t.is_sensitive, t.body, t.log_offset, t.next_offset, f.at,
      lead(f.at) over (partition by t.message_key order by t.log_offset) as next_at
    from projection.message_change($1, $2, message_key => null) t
    cross join lateral (select a.at from projection.log_time_at($1, t.log_offset) a offset 0) f) c  -- `offset 0`: not once for each use
  where c.body is not null
$$;
