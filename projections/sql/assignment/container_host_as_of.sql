-- coordinator.container_host as of a time.
create function coordinator.container_host_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.container_host language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j cross join lateral projection.container_host_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut) r
  where j.coordinator_log is not null
$$;
comment on function coordinator.container_host_as_of is 'coordinator.container_host as it was at a time: all events whose log_time is not later.';
