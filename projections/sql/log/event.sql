-- The events of the archive as the fold read them: each has one row in one of these tables. A sweep, and the note that a checkpoint has a
-- partition twice, are no events. Nothing is filtered here: the planner would no longer look up the rows of one log by index.
create view projection.folded_event as
select c.log_id, c.key_id, c.log_offset, c.record_time, null::timestamptz as message_time, c.value_bytes, c.layout_id is null as is_delete,
  null::text as source, null::text as host, null::text as username, c.value_bytes is distinct from -1 as is_event
from projection.checkpoint_event c
union all
select m.log_id, m.key_id, m.log_offset, m.record_time, m.message_time, m.value_bytes, m.body is null, m.source, m.host, m.username,
  m.value_bytes is distinct from -1
from projection.message_event m
union all
select q.log_id, coalesce(q.key_id, -1), q.log_offset, q.record_time, null, q.value_bytes, q.value_bytes is null, null, null, null,
  q.reason <> 'duplicate_partition'
from projection.quarantine q;

create view projection.keyed_event as
select j.job_name, j.job_id, j.job_bucket, k.message_type, k.message_key,
  case when e.is_delete then 'delete' else 'set' end as operation, e.value_bytes, coalesce(t.log_time, e.record_time) as log_time,
  e.record_time, coalesce(e.message_time, v.message_time) as message_time, coalesce(e.source, v.source) as source,
  coalesce(e.host, v.host) as host, coalesce(e.username, v.username) as username, j.stream_kind, j.incarnation, e.log_offset,
  e.log_id, e.key_id
from projection.job_log j
join projection.folded_event e on e.log_id = j.log_id and e.is_event
left join projection.event_key k on k.log_id = e.log_id and k.key_id = e.key_id
left join projection.log_time t on t.log_id = e.log_id and t.log_offset = e.log_offset  -- a row wherever record_time is another one
left join projection.checkpoint_envelope v on v.log_id = e.log_id and v.log_offset = e.log_offset;

create view coordinator.event as
select e.job_name, e.job_id, e.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes, e.log_time,
  e.record_time, e.message_time, e.source, e.host, e.username, e.stream_kind, e.incarnation, e.log_offset
from projection.keyed_event e;
comment on view coordinator.event is E'Every event up to the position of its log, without its value, also those that Kafka has removed: for replay jobs and auditors. For the newest events of a job use coordinator.newest_events.\nKey: job_name, job_id, stream_kind, incarnation, log_offset.';
comment on column coordinator.event.message_type is 'The message type, from the key. Null: the key cannot be decoded.';
comment on column coordinator.event.message_key is 'The rest of the key: a config key, a task or a partition; the same text for every spelling of the key. Null: the key cannot be decoded.';
comment on column coordinator.event.log_time is 'The time of the log at the event, on which cuts at a time are made: the newest record time so far, without those more than an hour ahead of when they were archived. It never decreases along a log.';
comment on column coordinator.event.value_bytes is 'Length of the value in bytes. Null: a tombstone has none.';

-- Reads the archive by its primary key, log by log: no index has the events of several keys in order.
create function coordinator.newest_events(job_name text, job_id text, n bigint)
returns setof coordinator.event language sql stable parallel safe as $$
  select e.job_name, e.job_id, e.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes, e.log_time,
    e.record_time, e.message_time, e.source, e.host, e.username, e.stream_kind, e.incarnation, e.log_offset
  from projection.job_log j
  join projection.position p on p.log_id = j.log_id
  cross join lateral (
    select a.log_offset, a.key_sha256 from projection.archived_event a
    where a.log_id = j.log_id and a.log_offset < p.next_offset order by a.log_offset desc limit $3) n
  left join lateral (                                      -- `offset 0`: event by event
    select k.key_id from projection.event_key k where k.log_id = j.log_id and k.key_sha256 = n.key_sha256 offset 0) k on true
  cross join lateral (
    select e.* from projection.keyed_event e
    where e.log_id = j.log_id and e.log_offset = n.log_offset and e.key_id = coalesce(k.key_id, -1) offset 0) e
  where j.job_name = $1 and j.job_id = $2 and j.is_current
  order by j.stream_kind, e.log_offset desc
$$;
comment on function coordinator.newest_events is 'The newest n rows of coordinator.event in each of the job''s current logs, newest first. It reads only what it returns; "order by log_offset desc limit n" on the view sorts all events of the job.';
