-- A row a commit: many times cheaper than counting the exploded rows of checkpoint_history.
create view coordinator.commit_history as
select c.job_name, c.job_id, c.job_bucket, c.task_name, c.checkpoint_version, c.checkpoint_id, c.is_preferred, c.partition_count,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.counted_commit c;
comment on view coordinator.commit_history is E'A row a commit of a task, without its partitions: the cheap way to count commits and to see when they came. A job that writes versions 1 and 2 has two rows a commit, of which is_preferred chooses one. The newest ones of a job: coordinator.newest_commits; of each task: coordinator.checkpoint.\nKey: provenance.';
comment on column coordinator.commit_history.checkpoint_id is 'Which commit it was: versions 1 and 2 of one commit have the same. Null: versions 0 and 1 have it only where state was committed.';
comment on column coordinator.commit_history.partition_count is 'How many input partitions the checkpoint names.';
