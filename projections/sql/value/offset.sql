-- The n-th offset of a checkpoint row (see the comments of checkpoint_event), and all of them, whose cost is linear in their number.
create function projection.offset_of(offsets text, offsets_odd text[], n integer) returns text language sql immutable parallel safe as $$
  select case when $1 is null then $2[$3] else nullif(split_part($1, E'\x1f', $3), E'\x1e') end
$$;
create function projection.offsets_of(offsets text, offsets_odd text[]) returns text[] language sql immutable parallel safe as $$
  select case $1 when '' then array[''] else coalesce(string_to_array($1, E'\x1f', E'\x1e'), $2) end
$$;

-- An input offset as a number; null if it is not an integer of at most 19 digits in the range of bigint. The regular expression is slow, and
-- only decides about what bigint does not write in the same way. The planner casts a constant as soon as it sees `$1::bigint`, so each cast
-- has a condition of its own.
create function projection.offset_number(input_offset text) returns bigint language sql stable parallel safe as $$
  select case
    when octet_length($1) <= 20 and case when pg_input_is_valid($1, 'bigint') then $1 end::bigint::text = $1
      then case when pg_input_is_valid($1, 'bigint') then $1 end::bigint
    when $1 ~ '^-?[0-9]{1,19}$' then case when pg_input_is_valid($1, 'bigint') then $1 end::bigint
  end
$$;

-- The next offset to read after a checkpoint's offset in Kafka; null if it is not an offset of Kafka, or the highest one.
create function projection.next_offset(input_offset_number bigint) returns bigint language sql immutable parallel safe as $$
  select case when $1 between -1 and 9223372036854775806 then $1 + 1 end
$$;

-- A partition as text: system.stream.partition, with the key bucket if it has one.
create function projection.partition_text(system_name text, stream_name text, partition_id integer, key_bucket integer) returns text language sql immutable parallel safe as $$
  select $1 || '.' || $2 || '.' || $3::text || case when $4 <> -1 then ' (key bucket ' || $4::text || ')' else '' end
$$;
