-- coordinator.startpoint_history as of a time: the steps of every log of the job until then, expiry judged at that time.
-- Raises below the retained horizon of one of them.
create function coordinator.startpoint_history_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.startpoint_history language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_log j
  cross join lateral (select projection.retained_cut(j.log_id, x.cut) as cut from projection.log_cut(j.log_id, $3) x where x.cut >= 0 offset 0) c
  cross join lateral projection.startpoint_life_state(j.log_id, j.incarnation, c.cut, $3) r
  where j.job_name = $1 and j.job_id = $2 and j.stream_kind = 'coordinator'
$$;
comment on function coordinator.startpoint_history_as_of is 'coordinator.startpoint_history as it was at a time: the steps until then; expiry is judged at that time.';
