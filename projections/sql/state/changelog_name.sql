-- A store's changelog as `system.stream`: config names the system before the stream, or in a setting of its own (null = in none).
create function projection.changelog_name(changelog text, system_name text) returns text language sql immutable parallel safe as $$
  select case when position('.' in $1) > 0 or $2 is null then $1 else $2 || '.' || $1 end
$$;
