-- Every event ever archived, without its bytes.
create view coordinator.event as
select j.job_name, j.job_id, j.job_bucket, k.message_type, k.message_key, case when e.is_tombstone or m.log_offset is not null and m.body is null then 'delete' else 'set' end as operation, e.value_bytes,
  e.record_time, coalesce(m.message_time, v.message_time) as message_time, coalesce(m.source, v.source) as source, coalesce(m.host, v.host) as host,
  coalesce(m.username, v.username) as username, j.stream_kind, j.incarnation, e.log_offset
from projection.job_log j
join projection.archived_event e on e.log_id = j.log_id
left join projection.event_key k on k.log_id = e.log_id and k.key_sha256 = e.key_sha256
left join projection.message_event m on m.log_id = k.log_id and m.key_id = k.key_id and m.log_offset = e.log_offset
left join projection.checkpoint_envelope v on v.log_id = e.log_id and v.log_offset = e.log_offset;
comment on view coordinator.event is E'Every event ever seen, also those that Kafka has forgotten, without values: what replay jobs and auditors count by.\nKey: provenance.';
comment on column coordinator.event.message_type is 'The type, from the key. Null: the key can not be read.';
comment on column coordinator.event.message_key is 'What the message is about, from the key: a config key, a task, a partition; the same text for every spelling. Null: the key can not be read.';
comment on column coordinator.event.value_bytes is 'Length of the value. Null: a tombstone has none.';
