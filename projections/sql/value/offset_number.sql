-- An input offset as a number, null if it is no integer that bigint holds for certain.
create function projection.offset_number(input_offset text) returns bigint language sql immutable parallel safe as $$
  select case when length($1) between 1 and 18 and translate($1, '0123456789', '') = '' then $1::bigint
              when $1 ~ '^-?[0-9]{1,18}$' then $1::bigint end
$$;
