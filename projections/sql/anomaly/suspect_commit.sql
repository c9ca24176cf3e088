-- Commits that may be anomalies. The fold records them (suspect_checkpoint), those that may be unread only for usual values of the maximum
-- age. For other values, every commit may be unread.
-- `offset 0`: look up the event of a suspect, not all events of its key.
create view projection.suspect_commit as
select s.may_be_lower, s.may_be_unread and c.max_age between interval '5 minutes' and interval '1 hour' as may_be_unread,
  j.job_name, j.job_id, j.job_bucket, c.task_name, c.checkpoint_version, c.grouper_factory, s.log_id, s.key_id,
  c.layout_id, c.offsets, c.offsets_odd, c.other_version_time, c.changelogs, c.versions, c.max_age, c.is_preferred,
  c.record_time, c.message_time, c.source, c.host, c.username, j.stream_kind, j.incarnation, s.log_offset
from projection.job_log j
join projection.suspect_checkpoint s on s.log_id = j.log_id
cross join lateral (
  select o.* from projection.commit o
  where o.job_name = j.job_name and o.job_id = j.job_id and o.stream_kind = j.stream_kind and o.incarnation = j.incarnation
    and o.log_id = s.log_id and o.key_id = s.key_id and o.log_offset = s.log_offset offset 0) c
union all
select false, true,
  c.job_name, c.job_id, c.job_bucket, c.task_name, c.checkpoint_version, c.grouper_factory, c.log_id, c.key_id,
  c.layout_id, c.offsets, c.offsets_odd, c.other_version_time, c.changelogs, c.versions, c.max_age, c.is_preferred,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.commit c
where c.max_age not between interval '5 minutes' and interval '1 hour';
