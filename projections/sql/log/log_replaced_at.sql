-- log_time of the first event of the next incarnation of a log's stream: from then on that one is shown. Null = there is none.
create function projection.log_replaced_at(log_id integer) returns table (at timestamptz) language sql stable parallel safe as $$
  select min(f.log_time)
  from projection.job_log o
  join projection.job_log n on n.job_suffix = o.job_suffix and n.stream_kind = o.stream_kind and n.incarnation > o.incarnation and n.is_complete
  cross join lateral (select t.log_time from projection.log_time t where t.log_id = n.log_id order by t.log_offset limit 1) f
  where o.log_id = $1
$$;
