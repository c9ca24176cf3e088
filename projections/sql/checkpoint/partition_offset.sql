-- The offset of one input partition in a checkpoint row; null where the checkpoint does not name it.
create function projection.partition_offset(log_id integer, layout_id integer, offsets text, offsets_odd text[],
                                            system_name text, stream_name text, partition_id integer, key_bucket integer)
returns text language sql stable parallel safe as $$
  select projection.offset_of($3, $4, l.n) from projection.checkpoint_layout l
  where l.log_id = $1 and l.layout_id = $2 and not l.is_state
    and l.system_name = $5 and l.stream_name = $6 and l.partition_id = $7 and l.key_bucket = $8
  limit 1
$$;
