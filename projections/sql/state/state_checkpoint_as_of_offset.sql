-- coordinator.state_checkpoint as of a log offset, inclusive.
create function coordinator.state_checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text default null, incarnation integer default null)
returns setof coordinator.state_checkpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at_offset($1, $2, $3, $4, $5) j
  cross join lateral projection.state_checkpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                             j.checkpoint_log, j.checkpoint_incarnation, j.checkpoint_cut) r
$$;
comment on function coordinator.state_checkpoint_as_of_offset is 'coordinator.state_checkpoint as it was after an event of the checkpoint''s log: offset inclusive; the other log is cut at that event''s log_time.';
