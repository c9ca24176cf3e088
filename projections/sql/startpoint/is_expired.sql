-- Whether a requested startpoint has expired at a time: 12 hours after its creation (seed 004).
create function projection.is_expired(created_ms bigint, at timestamptz) returns boolean language sql stable parallel safe as $$
  select coalesce(projection.to_time(least($1, 9223372036811575807) + 43200000) < $2, $1 < 0)
$$;
