-- coordinator.startpoint as of a log offset, inclusive; expiry judged at that event's log_time.
create function coordinator.startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text default null, incarnation integer default null)
returns setof coordinator.startpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
  cross join lateral projection.log_time_at(j.coordinator_log, j.coordinator_cut) t
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, t.at) r
  where j.coordinator_log is not null
$$;
comment on function coordinator.startpoint_as_of_offset is 'coordinator.startpoint as it was after an event of the log; expiry is judged at that event''s log_time.';
