-- The anomalies of a time, found by offsets: no index knows record times. Log by log, so that each stretch is a condition on an index.
create function coordinator.anomaly_between(job_name text, job_id text, since timestamptz, until timestamptz)
returns setof coordinator.anomaly language plpgsql stable parallel safe as $$
#variable_conflict use_column
declare
  stretch record;
begin
  for stretch in
    select j.stream_kind, j.incarnation, b.cut as after, u.cut as last
    from projection.job_log j
    cross join lateral projection.log_cut(j.log_id, coalesce($3, '-infinity')) b
    cross join lateral projection.log_cut(j.log_id, coalesce($4, 'infinity')) u
    where j.job_name = $1 and j.job_id = $2
    order by j.stream_kind, j.incarnation
  loop
    return query
    select a.* from coordinator.anomaly a
    where a.job_name = $1 and a.job_id = $2 and a.stream_kind = stretch.stream_kind and a.incarnation = stretch.incarnation
      and a.log_offset > stretch.after and a.log_offset <= stretch.last;
  end loop;
end
$$;
comment on function coordinator.anomaly_between is 'The rows of coordinator.anomaly whose events came into the job''s logs after since, and not after until (null: no bound), by log_time, the newest record time up to an event. An event whose own record_time is far off is found where it stands in the log. It reads that stretch of the logs, where a range of record_time on the view reads all of the job''s commits.';
