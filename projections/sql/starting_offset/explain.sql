-- Why a task starts where it does, now or at a time.
create function coordinator.explain(job_name text, job_id text, task_name text, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer,
               step integer, rule text, candidate text, outcome text, reason text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select r.*
  from (
    select n.coordinator_log, n.coordinator_incarnation, null::bigint as coordinator_cut, n.checkpoint_log, n.checkpoint_incarnation, null::bigint as checkpoint_cut
    from projection.job_now n where n.job_name = $1 and n.job_id = $2 and $4 is null
    union all
    select a.coordinator_log, a.coordinator_incarnation, a.coordinator_cut, a.checkpoint_log, a.checkpoint_incarnation, a.checkpoint_cut
    from projection.job_at($1, $2, $4) a where $4 is not null) j
  cross join lateral projection.starting_offset_tried(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                      j.checkpoint_log, j.checkpoint_incarnation, j.checkpoint_cut, $3, coalesce($4, now())) r
  order by r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.step
$$;
comment on function coordinator.explain is E'Why a task starts each of its partitions where it does, at a time (null: now): every startpoint, reset, checkpoint and default that was tried, in the order of the decision, with the event that says it. outcome is wins (one a partition, what starting_offset shows), loses or absent (nothing to start from); reason begins with a short code and a colon. A partition that is assigned but not among the job''s inputs has the rule input and no winner. Where the job has no assignments at all, the partitions are those of its tasks'' checkpoints, and each has a first row with the rule input that says so.\nKey: system_name, stream_name, partition_id, key_bucket, step.';
