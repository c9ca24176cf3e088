-- Checkpoints of a version that the job reads second or not at all, the first ones that are more than the max age newer than the
-- last of a version that it reads before.
create view projection.anomaly_unread_checkpoint as
select c.job_name, c.job_id, c.job_bucket, 'checkpoint_version_rollback' as anomaly, c.task_name as subject,
  case when c.checkpoint_version = any (c.versions)
       then format('Task %s writes checkpoints of version %s, and the last one of version %s, which is read before it, is older by more than %s (log offset %s): '
                   'the task went back to the older writer, and starts from version %s now.',
                   c.task_name, c.checkpoint_version, b.checkpoint_version, c.max_age, b.log_offset, c.checkpoint_version)
       else format('Task %s writes checkpoints of version %s, which the job does not read (task.checkpoint.read.versions), and the last one of version %s is older by more than %s: '
                   'the next start goes back to that one (log offset %s).',
                   c.task_name, c.checkpoint_version, b.checkpoint_version, c.max_age, b.log_offset) end as detail,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.suspect_commit c
cross join lateral (
  select e.*, k.checkpoint_version from projection.event_key k
  cross join lateral (
    select h.log_offset, h.record_time, h.layout_id from projection.checkpoint_event h
    where h.log_id = k.log_id and h.key_id = k.key_id and h.log_offset < c.log_offset
    order by h.log_offset desc limit 1) e
  where k.log_id = c.log_id and k.message_type in ('checkpoint', 'checkpoint-v2') and not k.is_other
    and left(k.message_key, 100) = left(c.task_name, 100) and k.message_key = c.task_name and k.grouper_factory = c.grouper_factory
    and array_position(c.versions, k.checkpoint_version) < coalesce(array_position(c.versions, c.checkpoint_version), 1000000)
    -- decides most events before anything is looked up; null: unknown
    and (c.other_version_time is null or c.other_version_time > '-infinity' and c.record_time - c.other_version_time > c.max_age)
  order by e.log_offset desc limit 1) b
left join lateral (
  select e.record_time from projection.checkpoint_event e
  where e.log_id = c.log_id and e.key_id = c.key_id and e.log_offset < c.log_offset
  order by e.log_offset desc limit 1) p on true
where c.may_be_unread and c.stream_kind = 'checkpoint' and c.layout_id is not null and c.checkpoint_version <> c.versions[1] and b.layout_id is not null
  and c.record_time - b.record_time > c.max_age and coalesce(p.record_time - b.record_time <= c.max_age, true);
