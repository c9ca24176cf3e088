-- The rows of projection.other_message as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.other_message_at(log_id integer, cut bigint, keys integer[]) returns setof projection.other_message language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_type, m.message_key, m.body ->> 'message_value',
    m.source, m.host, m.username
  from projection.message_head($1, $2, null, $3) m
$$;

create view coordinator.other_message as
select j.job_name, j.job_id, j.job_bucket, r.message_type, r.message_key, r.message_value,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.other_message r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.other_message is E'Current messages of types that have no relation of their own, as text: container placement, and types that coordstream does not know. Secrets are replaced by fingerprints.\nKey: job_name, job_id, message_type, message_key, stream_kind.';
comment on column coordinator.other_message.message_value is 'The value of the message as text.';
