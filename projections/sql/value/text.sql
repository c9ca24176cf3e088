-- A text without the white space at its ends, as Samza reads names in config (Java's trim).
create function projection.trimmed(value text) returns text language sql immutable parallel safe as $$
  select btrim($1, E' \t\n\r\f\v')
$$;
