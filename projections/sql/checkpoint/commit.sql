-- Every checkpoint event of every log, whether the job would read it, and what its partitions are decoded with.
create view projection.commit as
select j.job_name, j.job_id, j.job_bucket, k.message_key as task_name, k.checkpoint_version, k.grouper_factory,
  h.log_id, h.key_id, h.layout_id, h.checkpoint_id, h.offsets, h.offsets_odd, h.other_version_time, j.changelogs, j.store_names, j.versions, j.max_age,
  case when k.checkpoint_version = 0 then 'coordinator-stream' else 'checkpoint-topic' end as origin,
  case when h.layout_id is null then 'delete' else 'set' end as operation,
  case
    when j.stream_kind = 'coordinator' then not j.has_checkpoint_topic
    when k.checkpoint_version = 0 then false
    when k.grouper_factory <> coalesce(j.grouper_factory, k.grouper_factory) then false
    else projection.is_preferred(k.checkpoint_version, h.record_time, h.other_version_time, j.versions, j.lower_version, j.max_age)
  end as is_preferred,
  h.record_time, v.message_time, v.source, v.host, v.username, j.stream_kind, j.incarnation, h.log_offset
from projection.job_log j
join projection.checkpoint_event h on h.log_id = j.log_id
join projection.event_key k on k.log_id = h.log_id and k.key_id = h.key_id
left join projection.checkpoint_envelope v on v.log_id = h.log_id and v.log_offset = h.log_offset;

-- The same with the number of input partitions: those of the layout, without the changelogs (see is_changelog).
create view projection.counted_commit as
select c.*, l as layout, coalesce(cardinality(l.input_streams) - case when c.checkpoint_version = 1 and l.input_streams && c.changelogs
    then (select count(*)::integer from unnest(l.input_streams) s where s = any (c.changelogs)) else 0 end, 0) as partition_count
from projection.commit c
left join projection.checkpoint_layout l on l.log_id = c.log_id and l.layout_id = c.layout_id;

create view coordinator.commit_history as
select c.job_name, c.job_id, c.job_bucket, c.task_name, c.checkpoint_version, c.checkpoint_id, c.is_preferred, c.partition_count,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.counted_commit c
where c.layout_id is not null;
comment on view coordinator.commit_history is E'One row per commit of a task, without its partitions: many times cheaper than checkpoint_history for counting commits and for their times. A job that writes versions 1 and 2 has two rows per commit, of which is_preferred chooses one. For the newest commits of a job use coordinator.newest_commits, for the last one of each task coordinator.checkpoint.\nKey: job_name, job_id, stream_kind, incarnation, log_offset.';
comment on column coordinator.commit_history.checkpoint_id is 'Identifies the commit: versions 1 and 2 of one commit have the same id. Null: versions 0 and 1 have it only if state was committed.';
comment on column coordinator.commit_history.partition_count is 'The number of input partitions in the checkpoint.';

-- Reads the archive by its primary key: no index has the commits of several tasks in order.
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
      and (j.checkpoint_log is not null or exists (        -- do not read a whole coordinator stream without checkpoints
        select from projection.event_key s where s.log_id = j.coordinator_log and s.message_type = 'set-checkpoint' and not s.is_other))
    order by e.log_offset desc limit $3) n
  cross join lateral (
    select c.* from projection.counted_commit c
    where c.job_name = $1 and c.job_id = $2 and c.log_id = n.log_id and c.key_id = n.key_id and c.log_offset = n.log_offset offset 0) c
  where j.job_name = $1 and j.job_id = $2
  order by c.log_offset desc
$$;
comment on function coordinator.newest_commits is 'The newest n rows of coordinator.commit_history in the log that the job''s checkpoints are read from, newest first. It reads only what it returns; "order by log_offset desc limit n" on the view sorts all commits of the job.';
