-- Every event of the archive with what its key says, and with the envelope that the fold read. Checkpoints stand beside other
-- messages: each event is looked up where its key belongs, and nowhere else.
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

-- Every event ever archived, without its bytes.
create view coordinator.event as
select j.job_name, j.job_id, j.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes,
  e.record_time, e.message_time, e.source, e.host, e.username, j.stream_kind, j.incarnation, e.log_offset
from projection.job_log j
join projection.keyed_event e on e.log_id = j.log_id;
comment on view coordinator.event is E'Every event ever seen, also those that Kafka has forgotten, without values: what replay jobs and auditors count by. The newest ones of a job: coordinator.newest_events.\nKey: provenance.';
comment on column coordinator.event.message_type is 'The type, from the key. Null: the key can not be read.';
comment on column coordinator.event.message_key is 'What the message is about, from the key: a config key, a task, a partition; the same text for every spelling. Null: the key can not be read.';
comment on column coordinator.event.value_bytes is 'Length of the value. Null: a tombstone has none.';
