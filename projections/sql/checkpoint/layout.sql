-- The offsets of a checkpoint with what its layout says of each.
create function projection.opened(layout projection.checkpoint_layout, offsets text, offsets_odd text[])
returns table (n integer, partition_id integer, key_bucket integer, is_state boolean, system_name text, stream_name text,
               factory_name text, store_name text, marker_prefix text, marker_suffix text, value text)
language sql immutable parallel safe as $$
  select generate_subscripts(($1).is_state, 1), unnest(($1).partition_id), unnest(($1).key_bucket), unnest(($1).is_state),
    unnest(($1).system_name), unnest(($1).stream_name), unnest(($1).factory_name), unnest(($1).store_name),
    unnest(($1).marker_prefix), unnest(($1).marker_suffix), unnest(projection.offsets_of($2, $3))
$$;

-- The same without what only state has: each column costs, used or not.
create function projection.opened_input(layout projection.checkpoint_layout, offsets text, offsets_odd text[])
returns table (partition_id integer, key_bucket integer, is_state boolean, system_name text, stream_name text, value text)
language sql immutable parallel safe as $$
  select unnest(($1).partition_id), unnest(($1).key_bucket), unnest(($1).is_state), unnest(($1).system_name), unnest(($1).stream_name),
    unnest(projection.offsets_of($2, $3))
$$;

-- What each offset of a layout belongs to.
create view projection.layout_entry as
select l.log_id, l.layout_id, o.n, o.partition_id, o.key_bucket, o.is_state, o.system_name, o.stream_name, o.factory_name, o.store_name,
  o.marker_prefix, o.marker_suffix
from projection.checkpoint_layout l
cross join lateral projection.opened(l, null, null) o;
