-- What looks wrong in a job's logs, a row an event and subject. One view beneath for each kind.
create view coordinator.anomaly as
select a.job_name, a.job_id, a.job_bucket, a.anomaly, a.subject, a.detail,
  a.record_time, a.message_time, a.source, a.host, a.username, a.stream_kind, a.incarnation, a.log_offset
from (
  select * from projection.anomaly_read_versions
  union all
  select * from projection.anomaly_startpoint_ignored
  union all
  select * from projection.anomaly_changelog_remapped
  union all
  select * from projection.anomaly_changelog_shared
  union all
  select * from projection.anomaly_two_job_names
  union all
  select * from projection.anomaly_write_once_changed
  union all
  select * from projection.anomaly_unread_checkpoint
  union all
  select * from projection.anomaly_checkpoint_moved_back) a;
comment on view coordinator.anomaly is E'What looks wrong in a job''s logs: each row is the event that shows it, and says in words what it means and which other events tell. Checkpoints cost little: the follower records those that may be anomalies, and only these are read, also for all jobs at once and for a range of record_time. A log that an older version of coordstream has folded is read whole, about 3.5 s of CPU for each million events, until `coordstream quarantine retry` rebuilds it; so is a job for some kinds if its task.live.checkpoint.max.age is below 5 minutes or above an hour. A range of log_offset, or coordinator.anomaly_between for a range of time, reads that stretch alone.\nKey: provenance, anomaly, subject.';
comment on column coordinator.anomaly.anomaly is 'checkpoint_moved_back, checkpoint_version_rollback, startpoint_ignored, changelog_remapped, changelog_shared, two_job_names or write_once_changed.';
comment on column coordinator.anomaly.subject is 'What it is about: a partition (checkpoint_moved_back, startpoint_ignored), a task (checkpoint_version_rollback, changelog_remapped), a changelog partition (changelog_shared) or a config key (two_job_names, write_once_changed).';
comment on column coordinator.anomaly.detail is 'One sentence: what happened, the log offsets that show it, and what it means.';
