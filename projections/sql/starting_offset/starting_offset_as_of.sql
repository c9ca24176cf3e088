-- coordinator.starting_offset as of a time.
create function coordinator.starting_offset_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.starting_offset language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.starting_offset_state(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, $3, null) r
  where r.decided_by is not null
$$;
comment on function coordinator.starting_offset_as_of is 'coordinator.starting_offset as it was at a time; expiry is judged at that time.';
