-- The checkpoint topic of a coordinator stream's job, cut at the log_time of an offset of the stream (null = now, not cut); no row
-- where there was none.
create function projection.checkpoint_log_at(log_id integer, cut bigint) returns table (log_id integer, cut bigint) language sql stable parallel safe as $$
  select l.log_id, case when $2 is not null then c.cut end
  from projection.job_log o
  join projection.job_log l on l.job_suffix = o.job_suffix and l.stream_kind = 'checkpoint'
  left join lateral projection.log_time_at(o.log_id, $2) t on true
  left join lateral projection.log_cut(l.log_id, t.at) c on true
  where o.log_id = $1 and case when $2 is null then l.is_current else l.is_complete and c.cut >= 0 end
  order by l.incarnation desc limit 1
$$;
