-- The stretch of log_time in which it was so what an event of a log said: until another event (null = none yet), and at most until
-- the log was replaced (null = it was not). valid_to null = still so; equal times = it was so at no moment.
create function projection.log_validity(log_id integer, from_offset bigint, to_offset bigint, replaced_at timestamptz)
returns table (valid_from timestamptz, valid_to timestamptz) language sql stable parallel safe as $$
  select f.at, case when coalesce(n.at, $4) is not null then greatest(f.at, least(n.at, $4)) end
  from projection.log_time_at($1, $2) f
  left join lateral projection.log_time_at($1, $3) n on true
$$;
