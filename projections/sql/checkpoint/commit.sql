-- Every checkpoint event of every log, whether the job would read it, and what to explode it with.
-- The rule is asked once a log, not once an event: `offset 0`, and events that are joined to it, see to that.
create view projection.commit as
select j.job_name, j.job_id, j.job_bucket, k.message_key as task_name, k.checkpoint_version, k.grouper_factory,
  h.log_id, h.key_id, h.layout_id, h.checkpoint_id, h.offsets, h.offsets_odd, h.other_version_time, q.changelogs, q.store_names, q.versions, q.max_age,
  case when k.checkpoint_version = 0 then 'coordinator-stream' else 'checkpoint-topic' end as origin,
  case when h.layout_id is null then 'delete' else 'set' end as operation,
  case
    when j.stream_kind = 'coordinator' then not o.has_checkpoint_topic
    when k.checkpoint_version = 0 then false
    when k.grouper_factory <> coalesce(q.grouper_factory, k.grouper_factory) then false
    when k.checkpoint_version = q.versions[1] then true
    when not k.checkpoint_version = any (q.versions) then false
    when k.checkpoint_version is distinct from q.second_version then true
    when h.other_version_time is null then projection.is_lower_preferred(h.log_id, k.message_key, k.grouper_factory, 3 - k.checkpoint_version, h.record_time, h.log_offset, q.max_age)
    when not isfinite(h.other_version_time) then h.other_version_time = '-infinity'
    else coalesce(h.record_time - h.other_version_time > q.max_age, false)
  end as is_preferred,
  h.record_time, v.message_time, v.source, v.host, v.username, j.stream_kind, j.incarnation, h.log_offset
from projection.job_log j
cross join lateral (
  select max(p.log_id) filter (where p.stream_kind = 'coordinator') as coordinator_log,
         coalesce(bool_or(p.stream_kind = 'checkpoint'), false) as has_checkpoint_topic
  from projection.job_log p where p.job_suffix = j.job_suffix and p.is_current) o
cross join lateral (
  select j.log_id, r.*,
    case when array_position(r.versions, 2) < array_position(r.versions, 1) then 1
         when array_position(r.versions, 1) < array_position(r.versions, 2) then 2 end as second_version
  from projection.checkpoint_rule(o.coordinator_log, null) r offset 0) q
join projection.checkpoint_event h on h.log_id = q.log_id
join projection.event_key k on k.log_id = h.log_id and k.key_id = h.key_id
left join projection.checkpoint_envelope v on v.log_offset = h.log_offset
  and v.log_id = case when k.checkpoint_version = 0 then h.log_id end;      -- others have none: no need to look
