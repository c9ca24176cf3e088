-- A time from milliseconds since 1970; null if timestamptz cannot represent it. Counted from 2000: an interval cannot reach the last times
-- from 1970.
create function projection.to_time(ms bigint) returns timestamptz language sql immutable parallel safe as $$
  select case when $1 between -210866803200000 and 9224318015999999
              then timestamptz '2000-01-01 00:00:00+00' + (($1 - 946684800000) / 86400000) * interval '24 hours'
                     + (($1 - 946684800000) % 86400000) * interval '1 millisecond' end
$$;

-- The time from one time to another. Postgres cannot subtract times that are more than 292,000 years apart, but each of them from a time
-- between them.
create function projection.time_between(earlier timestamptz, later timestamptz) returns interval language sql immutable parallel safe as $$
  select justify_hours(($2 - timestamptz '2000-01-01 00:00:00+00') - ($1 - timestamptz '2000-01-01 00:00:00+00'))
$$;

-- The last time before another.
create function projection.just_before(at timestamptz) returns timestamptz language sql stable parallel safe as $$
  select case when $1 > timestamptz '4714-11-24 00:00:00+00 BC' then $1 - interval '1 microsecond' else '-infinity' end
$$;

-- A time as text, to the second; `an unknown time` for null.
create function projection.time_text(at timestamptz) returns text language sql stable parallel safe as $$
  select coalesce(to_char($1 at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC', 'an unknown time')
$$;

-- A duration as text, for example `1 day 2 hours` or `11 minutes`.
create function projection.duration_text(duration interval) returns text language sql immutable parallel safe as $$
  select coalesce(nullif(concat_ws(' ',
    case extract(day from $1) when 0 then null when 1 then '1 day' else extract(day from $1) || ' days' end,
    case extract(hour from $1) when 0 then null when 1 then '1 hour' else extract(hour from $1) || ' hours' end,
    case extract(minute from $1) when 0 then null when 1 then '1 minute' else extract(minute from $1) || ' minutes' end,
    case extract(second from $1) when 0 then null when 1 then '1 second' else trim_scale(extract(second from $1)) || ' seconds' end), ''), 'no time')
$$;
