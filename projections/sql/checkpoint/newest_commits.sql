-- The newest commits of a job, by the archive's primary key: a history has no order by offset that an index could give.
create function coordinator.newest_commits(job_name text, job_id text, n bigint)
returns setof coordinator.commit_history language sql stable parallel safe as $$
  select c.job_name, c.job_id, c.job_bucket, c.task_name, c.checkpoint_version, c.checkpoint_id, c.is_preferred, c.partition_count,
    c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
  from projection.current_job j
  cross join lateral (                                     -- `offset 0`: event by event from the log's end, not key by key
    select e.log_id, h.key_id, e.log_offset
    from projection.archived_event e
    cross join lateral (
      select k.key_id from projection.event_key k
      where k.log_id = e.log_id and k.key_sha256 = e.key_sha256 and k.checkpoint_version is not null offset 0) k
    cross join lateral (
      select c.key_id from projection.checkpoint_event c
      where c.log_id = e.log_id and c.key_id = k.key_id and c.log_offset = e.log_offset and c.layout_id is not null offset 0) h
    where e.log_id = coalesce(j.checkpoint_log, j.coordinator_log)
      and (j.checkpoint_log is not null or exists (        -- else all of a coordinator stream without checkpoints would be read
        select from projection.event_key s where s.log_id = j.coordinator_log and s.message_type = 'set-checkpoint' and not s.is_other))
    order by e.log_offset desc limit $3) n
  cross join lateral (
    select c.* from projection.counted_commit c
    where c.job_name = $1 and c.job_id = $2 and c.log_id = n.log_id and c.key_id = n.key_id and c.log_offset = n.log_offset offset 0) c
  where j.job_name = $1 and j.job_id = $2
  order by c.log_offset desc
$$;
comment on function coordinator.newest_commits is 'The newest n rows of coordinator.commit_history in the log that the job''s checkpoints are read from, newest first. It reads as much as it returns, where "order by log_offset desc limit n" of the view sorts all commits of the job.';
