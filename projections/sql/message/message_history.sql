-- Every event of the types that have a relation of their own, but checkpoints: decoded, with its job.
create view projection.message_history as
select j.job_name, j.job_id, j.job_bucket, k.message_type, k.message_key, k.system_name, k.stream_name, k.partition_id, k.key_bucket,
  k.is_sensitive or coalesce((e.body ->> 'is_sensitive')::boolean, false) as is_sensitive, e.body,
  case when e.body is null then 'delete' else 'set' end as operation,
  e.record_time, e.message_time, e.source, e.host, e.username, j.stream_kind, j.incarnation, e.log_offset
from projection.job_log j
join projection.message_event e on e.log_id = j.log_id
join projection.event_key k on k.log_id = e.log_id and k.key_id = e.key_id
where not k.is_other;
