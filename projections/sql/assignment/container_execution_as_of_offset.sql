-- coordinator.container_execution as of a log offset, inclusive.
create function coordinator.container_execution_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text default null, incarnation integer default null)
returns setof coordinator.container_execution language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
  cross join lateral projection.container_execution_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut) r
  where j.coordinator_log is not null
$$;
comment on function coordinator.container_execution_as_of_offset is 'coordinator.container_execution as it was after an event of the log: offset inclusive; another stream_kind cuts this log at that event''s log_time.';
