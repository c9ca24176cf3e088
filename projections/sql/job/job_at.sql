-- A job's logs, each cut at a time. Of each kind the newest incarnation that had begun by then; null = none had.
-- Raises below the retained horizon of a log whose cut is asked for.
create function projection.job_at(job_name text, job_id text, at timestamptz)
returns table (job_name text, job_id text, job_bucket integer,
               coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint,
               checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint)
language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, c.log_id, c.incarnation, c.cut, p.log_id, p.incarnation, p.cut
  from (select distinct l.job_name, l.job_id, l.job_bucket, l.job_suffix from projection.job_log l where l.job_name = $1 and l.job_id = $2) j
  left join lateral (
    select l.log_id, l.incarnation, projection.retained_cut(l.log_id, x.cut) as cut from projection.job_log l cross join lateral projection.log_cut(l.log_id, $3) x
    where l.job_suffix = j.job_suffix and l.stream_kind = 'coordinator' and l.is_complete and x.cut >= 0
    order by l.incarnation desc limit 1) c on true
  left join lateral (
    select l.log_id, l.incarnation, projection.retained_cut(l.log_id, x.cut) as cut from projection.job_log l cross join lateral projection.log_cut(l.log_id, $3) x
    where l.job_suffix = j.job_suffix and l.stream_kind = 'checkpoint' and l.is_complete and x.cut >= 0
    order by l.incarnation desc limit 1) p on true
$$;
