-- coordinator.startpoint as of a time, expiry judged at that time.
create function coordinator.startpoint_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.startpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, $3) r
  where j.coordinator_log is not null
$$;
comment on function coordinator.startpoint_as_of is 'coordinator.startpoint as it was at a time; expiry is judged at that time.';
