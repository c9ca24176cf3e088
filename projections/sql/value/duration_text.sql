-- A stretch of time in words, such as `1 day 2 hours` or `11 minutes`.
create function projection.duration_text(duration interval) returns text language sql immutable parallel safe as $$
  select coalesce(nullif(concat_ws(' ',
    case extract(day from $1) when 0 then null when 1 then '1 day' else extract(day from $1) || ' days' end,
    case extract(hour from $1) when 0 then null when 1 then '1 hour' else extract(hour from $1) || ' hours' end,
    case extract(minute from $1) when 0 then null when 1 then '1 minute' else extract(minute from $1) || ' minutes' end,
    case extract(second from $1) when 0 then null when 1 then '1 second' else trim_scale(extract(second from $1)) || ' seconds' end), ''), 'no time')
$$;
