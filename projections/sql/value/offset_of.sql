-- The n-th offset of a checkpoint row (see checkpoint_event.offsets).
create function projection.offset_of(offsets text, offsets_odd text[], n integer) returns text language sql immutable parallel safe as $$
  select case when $1 is null then $2[$3] else nullif(split_part($1, E'\x1f', $3), E'\x1e') end
$$;
