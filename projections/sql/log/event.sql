-- Every event of the archive with its decoded key and the envelope of its value. Envelopes of checkpoints and of other messages are in
-- two tables; the key says which one to look in. The subquery of the key has one row, because of its aggregates: it is left out if a query
-- uses none of its columns, and the planner can keep what it looked up for the bytes of a key (Memoize) instead of hashing these again for
-- each event.
create view projection.keyed_event as
select j.job_name, j.job_id, j.job_bucket, j.stream_kind, j.incarnation, e.log_id, k.message_type, k.message_key,
  case when e.value is null or m.log_offset is not null and m.body is null then 'delete' else 'set' end as operation, octet_length(e.value) as value_bytes,
  e.record_time, coalesce(t.log_time, e.record_time) as log_time, coalesce(m.message_time, v.message_time) as message_time,
  coalesce(m.source, v.source) as source,
  coalesce(m.host, v.host) as host, coalesce(m.username, v.username) as username, e.log_offset
from projection.job_log j
join eventlog.event e on e.log_id = j.log_id
left join projection.log_time t on t.log_id = e.log_id and t.log_offset = e.log_offset  -- a row wherever record_time is another one
left join lateral (
  select any_value(k.key_id) as key_id, any_value(k.checkpoint_version) as checkpoint_version,
    any_value(k.message_type) as message_type, any_value(k.message_key) as message_key
  from projection.event_key k where k.log_id = j.log_id and k.key_sha256 = sha256(e.key)) k on true
left join projection.message_event m
  on m.log_id = case when k.checkpoint_version is null then e.log_id end      -- an index scan can use all three
  and m.key_id = k.key_id and m.log_offset = e.log_offset
left join projection.checkpoint_envelope v
  on (k.checkpoint_version = 0 or k.checkpoint_version > 0 and e.headers is not null)         -- the others have none
  and v.log_id = e.log_id and v.log_offset = e.log_offset;

create view coordinator.event as
select e.job_name, e.job_id, e.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes, e.log_time,
  e.record_time, e.message_time, e.source, e.host, e.username, e.stream_kind, e.incarnation, e.log_offset
from projection.keyed_event e;
comment on view coordinator.event is E'Every archived event, without its value, also those that Kafka has removed: for replay jobs and auditors. For the newest events of a job use coordinator.newest_events.\nKey: job_name, job_id, stream_kind, incarnation, log_offset.';
comment on column coordinator.event.message_type is 'The message type, from the key. Null: the key cannot be decoded.';
comment on column coordinator.event.message_key is 'The rest of the key: a config key, a task or a partition; the same text for every spelling of the key. Null: the key cannot be decoded.';
comment on column coordinator.event.log_time is 'The time of the log at the event, on which cuts at a time are made: the newest record time so far, without those more than an hour ahead of when they were archived. It never decreases along a log.';
comment on column coordinator.event.value_bytes is 'Length of the value in bytes. Null: a tombstone has none.';

-- Reads the archive by its primary key, log by log: no index has the events of several logs in order.
create function coordinator.newest_events(job_name text, job_id text, n bigint)
returns setof coordinator.event language sql stable parallel safe as $$
  select e.job_name, e.job_id, e.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes, e.log_time,
    e.record_time, e.message_time, e.source, e.host, e.username, e.stream_kind, e.incarnation, e.log_offset
  from projection.job_log j
  cross join lateral (
    select a.log_offset from projection.archived_event a where a.log_id = j.log_id order by a.log_offset desc limit $3) n
  cross join lateral (                                     -- `offset 0`: event by event
    select k.* from projection.keyed_event k where k.log_id = j.log_id and k.log_offset = n.log_offset offset 0) e
  where j.job_name = $1 and j.job_id = $2 and j.is_current
  order by j.stream_kind, e.log_offset desc
$$;
comment on function coordinator.newest_events is 'The newest n rows of coordinator.event in each of the job''s current logs, newest first. It reads only what it returns; "order by log_offset desc limit n" on the view sorts all events of the job.';
