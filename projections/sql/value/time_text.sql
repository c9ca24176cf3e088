-- A time in words, to the second; `an unknown time` where there is none.
create function projection.time_text(at timestamptz) returns text language sql stable parallel safe as $$
  select coalesce(to_char($1 at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC', 'an unknown time')
$$;
