-- A row a commit: six times cheaper than counting the exploded rows of checkpoint_history.
create view coordinator.commit_history as
select c.job_name, c.job_id, c.job_bucket, c.task_name, c.checkpoint_version, c.checkpoint_id, c.is_preferred,
  (select count(*)::integer from projection.checkpoint_layout l
   where l.log_id = c.log_id and l.layout_id = c.layout_id and not l.is_state
     and not (c.checkpoint_version = 1 and coalesce(l.system_name || '.' || l.stream_name = any (c.changelogs), false))) as partition_count,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.commit c
where c.operation = 'set';
comment on view coordinator.commit_history is E'A row a commit of a task, without its partitions: the cheap way to count commits and to see when they came. A job that writes versions 1 and 2 has two rows a commit, of which is_preferred chooses one.\nKey: provenance.';
comment on column coordinator.commit_history.checkpoint_id is 'Which commit it was: versions 1 and 2 of one commit have the same. Null: versions 0 and 1 have it only where state was committed.';
comment on column coordinator.commit_history.partition_count is 'How many input partitions the checkpoint names.';
