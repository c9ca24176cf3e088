-- A time from milliseconds since 1970; null where timestamptz cannot hold it.
create function projection.to_time(ms bigint) returns timestamptz language sql immutable parallel safe as $$
  select case when $1 between -210866803200000 and 9224318015999999
              then timestamptz '1970-01-01 00:00:00+00' + ($1 / 86400000) * interval '24 hours' + ($1 % 86400000) * interval '1 millisecond' end
$$;
