-- Each kind of anomaly has its own view.
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
  select * from projection.anomaly_checkpoint_moved_back
  union all
  select * from projection.anomaly_state_markers_disagree) a
where not exists (
  select from projection.log_horizon h
  join projection.job_log j on j.log_id = h.log_id
  where j.job_name = a.job_name and j.job_id = a.job_id and j.stream_kind = a.stream_kind and j.incarnation = a.incarnation
    and a.log_offset <= h.horizon_offset);
comment on view coordinator.anomaly is E'Inconsistencies in the logs of a job. Each row has the event that shows the anomaly; detail says what happened, what it means and which other events show it. A query reads little: the fold marks the checkpoints that may be anomalies, and only these are read, also for all jobs at once or a range of record_time. Exception: if task.live.checkpoint.max.age of a job is below 5 minutes or above an hour, some kinds read all its events, about 3.5 s of CPU per million. With a range of log_offset, or with coordinator.anomaly_between for a range of time, only that part of the logs is read. After a retention: only anomalies beyond the horizon, as far as the retained events show them.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, anomaly, subject.';
comment on column coordinator.anomaly.anomaly is 'checkpoint_moved_back, checkpoint_version_rollback, startpoint_ignored, changelog_remapped, changelog_shared, state_markers_disagree, two_job_names or write_once_changed.';
comment on column coordinator.anomaly.subject is 'The subject of the anomaly: a partition (checkpoint_moved_back, startpoint_ignored), a task (checkpoint_version_rollback, changelog_remapped, state_markers_disagree), a changelog partition (changelog_shared) or a config key (two_job_names, write_once_changed).';
comment on column coordinator.anomaly.detail is 'What happened, the log offsets that show it, and what it means.';

-- The range of time becomes a range of offsets, since no index has record times. Log by log, so that each range is an index condition.
create function coordinator.anomaly_between(job_name text, job_id text, since timestamptz, until timestamptz)
returns setof coordinator.anomaly language plpgsql stable parallel safe as $$
#variable_conflict use_column
declare
  stretch record;
begin
  for stretch in
    select j.stream_kind, j.incarnation, b.cut as after, u.cut as last
    from projection.job_log j
    cross join lateral projection.log_cut(j.log_id, coalesce($3, '-infinity')) b
    cross join lateral projection.log_cut(j.log_id, coalesce($4, 'infinity')) u
    where j.job_name = $1 and j.job_id = $2
    order by j.stream_kind, j.incarnation
  loop
    return query
    select a.* from coordinator.anomaly a
    where a.job_name = $1 and a.job_id = $2 and a.stream_kind = stretch.stream_kind and a.incarnation = stretch.incarnation
      and a.log_offset > stretch.after and a.log_offset <= stretch.last;
  end loop;
end
$$;
comment on function coordinator.anomaly_between is 'The rows of coordinator.anomaly after since and not after until (null: no bound), by log_time: an event with a wrong record_time is found by its place in the log. Reads only that part of the logs, and all startpoints of the job.';
