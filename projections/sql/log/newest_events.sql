-- Reads the archive by its primary key, log by log: no index has the events of several logs in order.
create function coordinator.newest_events(job_name text, job_id text, n bigint)
returns setof coordinator.event language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes,
    e.record_time, e.message_time, e.source, e.host, e.username, j.stream_kind, j.incarnation, e.log_offset
  from projection.job_log j
  cross join lateral (
    select a.log_offset from projection.archived_event a where a.log_id = j.log_id order by a.log_offset desc limit $3) n
  cross join lateral (                                     -- `offset 0`: event by event, each key by its hash
    select k.* from projection.keyed_event k where k.log_id = j.log_id and k.log_offset = n.log_offset offset 0) e
  where j.job_name = $1 and j.job_id = $2 and j.is_current
  order by j.stream_kind, e.log_offset desc
$$;
comment on function coordinator.newest_events is 'The newest n rows of coordinator.event in each of the job''s current logs, newest first. It reads only what it returns; "order by log_offset desc limit n" on the view sorts all events of the job.';
