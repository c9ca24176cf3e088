-- Every event of the archive with its decoded key and the envelope of its value. Envelopes of checkpoints and of other messages are in
-- two tables; the key says which one to look in.
create view projection.keyed_event as
select e.log_id, k.message_type, k.message_key, case when e.is_tombstone or m.log_offset is not null and m.body is null then 'delete' else 'set' end as operation,
  e.value_bytes, e.record_time, coalesce(m.message_time, v.message_time) as message_time, coalesce(m.source, v.source) as source,
  coalesce(m.host, v.host) as host, coalesce(m.username, v.username) as username, e.log_offset
from projection.archived_event e
left join projection.event_key k on k.log_id = e.log_id and k.key_sha256 = e.key_sha256
left join projection.message_event m on m.log_id = e.log_id and m.log_offset = e.log_offset
  and m.key_id = case when k.checkpoint_version is null then k.key_id end
left join projection.checkpoint_envelope v on v.log_offset = e.log_offset
  and v.log_id = case when k.checkpoint_version = 0 then e.log_id end;

create view coordinator.event as
select j.job_name, j.job_id, j.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes,
  e.record_time, e.message_time, e.source, e.host, e.username, j.stream_kind, j.incarnation, e.log_offset
from projection.job_log j
join projection.keyed_event e on e.log_id = j.log_id;
comment on view coordinator.event is E'Every archived event, without its value, also those that Kafka has removed: for replay jobs and auditors. For the newest events of a job use coordinator.newest_events.\nKey: provenance.';
comment on column coordinator.event.message_type is 'The message type, from the key. Null: the key cannot be decoded.';
comment on column coordinator.event.message_key is 'The rest of the key: a config key, a task or a partition; the same text for every spelling of the key. Null: the key cannot be decoded.';
comment on column coordinator.event.value_bytes is 'Length of the value in bytes. Null: a tombstone has none.';

-- Reads the archive by its primary key, log by log: no index has the events of several logs in order.
create function coordinator.newest_events(job_name text, job_id text, n bigint)
returns setof coordinator.event language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes,
    e.record_time, e.message_time, e.source, e.host, e.username, j.stream_kind, j.incarnation, e.log_offset
  from projection.job_log j
  cross join lateral (
    select a.log_offset from projection.archived_event a where a.log_id = j.log_id order by a.log_offset desc limit $3) n
  cross join lateral (                                     -- `offset 0`: event by event, each key by its hash
    select k.* from projection.keyed_event k where k.log_id = j.log_id and k.log_offset = n.log_offset offset 0) e
  where j.job_name = $1 and j.job_id = $2 and j.is_current
  order by j.stream_kind, e.log_offset desc
$$;
comment on function coordinator.newest_events is 'The newest n rows of coordinator.event in each of the job''s current logs, newest first. It reads only what it returns; "order by log_offset desc limit n" on the view sorts all events of the job.';
