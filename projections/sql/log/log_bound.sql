-- An offset that lies behind everything visible at a time, by up to one stretch of log_time: where a search backward may begin.
-- One index probe; log_cut gives the exact offset, and reads the stretch for it.
create function projection.log_bound(log_id integer, at timestamptz) returns table (bound bigint) language sql stable parallel safe as $$
  select coalesce(
    (select t.log_offset from projection.log_time t where t.log_id = $1 and t.log_time > $2 order by t.log_time, t.log_offset limit 1),
    9223372036854775807)
$$;
