-- A partition as people write it: system.stream.partition, and the key bucket where there is one.
create function projection.partition_text(system_name text, stream_name text, partition_id integer, key_bucket integer) returns text language sql immutable parallel safe as $$
  select $1 || '.' || $2 || '.' || $3::text || case when $4 <> -1 then ' (key bucket ' || $4::text || ')' else '' end
$$;
