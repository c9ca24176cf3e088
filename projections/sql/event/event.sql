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
