-- The previous value of a key is the newest one among all of its spellings: a backward probe of message_event's primary key for each.
-- A tombstone of one spelling can uncover the value of another.
create view coordinator.config_change as
select j.job_name, j.job_id, j.job_bucket, k.message_key as config_key, p.previous_value, v.config_value,
  case when v.config_value is null then 'delete' else 'set' end as operation,
  e.record_time, e.message_time, e.source, e.host, e.username, j.stream_kind, j.incarnation, e.log_offset
from projection.job_log j
join projection.event_key k on k.log_id = j.log_id and k.message_type = 'set-config' and not k.is_other
join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
cross join lateral (
  select (array_agg(b.config_value order by b.log_offset desc))[1] as previous_value,
    (array_agg(b.config_value order by b.log_offset desc) filter (where s.key_id <> e.key_id))[1] as uncovered_value
  from projection.event_key s
  cross join lateral (
    select h.log_offset, h.body ->> 'config_value' as config_value from projection.message_event h
    where h.log_id = s.log_id and h.key_id = s.key_id and h.log_offset < e.log_offset
    order by h.log_offset desc limit 1) b
  where s.log_id = k.log_id and s.message_type = 'set-config' and not s.is_other
    and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key and b.config_value is not null) p
cross join lateral projection.base_end(j.log_id) b
cross join lateral (select case when e.body is null then p.uncovered_value else e.body ->> 'config_value' end as config_value) v
where v.config_value is distinct from p.previous_value and e.log_offset > b.last_offset;
comment on view coordinator.config_change is E'Config events that changed a value. A deployment writes every key again; events that repeat a value are left out, and so are deletes of a key that was not set. Secrets are compared, and shown, as fingerprints. A new incarnation of a log begins with no value set. After a retention: only events beyond the horizon.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, config_key.';
comment on column coordinator.config_change.previous_value is 'The value before this event. Null: the key was not set.';
comment on column coordinator.config_change.config_value is 'The value after this event. Null: the key is no longer set.';
comment on column coordinator.config_change.operation is '`set` if the key has a value after this event, else `delete`.';
