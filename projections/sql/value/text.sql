-- A text without the white space around it, where Samza trims a config value; btrim removes only spaces.
create function projection.trimmed(value text) returns text language sql immutable parallel safe as $$
  select btrim($1, E' \t\n\x0b\f\r')
$$;
