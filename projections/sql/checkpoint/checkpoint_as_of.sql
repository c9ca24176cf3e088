-- coordinator.checkpoint as of a time.
create function coordinator.checkpoint_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.checkpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.checkpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                             j.checkpoint_log, j.checkpoint_incarnation, j.checkpoint_cut) r
  where j.coordinator_log is not null or j.checkpoint_log is not null
$$;
comment on function coordinator.checkpoint_as_of is 'coordinator.checkpoint as it was at a time: all events whose log_time is not later.';
