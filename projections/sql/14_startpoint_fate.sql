-- Why a startpoint left its task's fan-out, from the checkpoint written last before (time, offset) and the one before that.
-- A partition stays in the fan-out until something of it was read, so that going on from the old place means a higher
-- offset, and an equal one that the partition was read again. `refused` = higher, where the startpoint lay at or before
-- the old place, or beyond what was reached. No checkpoint known: consumed. None written since the fan-out: deleted.
create function projection.startpoint_fate(startpoint_type text, startpoint_value text, fanned_out_at timestamptz,
                                           checkpoint_time timestamptz, input_offset text, earlier_time timestamptz, earlier_offset text)
returns text language sql immutable parallel safe as $$
  select case
    when $4 is null then 'consumed'
    when $4 < $3 or $5 is null then 'deleted'
    when projection.offset_number($5) > projection.offset_number($7) and case $1
      when 'oldest' then true
      when 'specific' then coalesce(projection.offset_number($2) <= projection.offset_number($7)
                                    or projection.offset_number($5) < projection.offset_number($2), true)
      when 'timestamp' then projection.to_time(projection.offset_number($2)) <= $6
      else false end then 'refused'
    else 'consumed' end
$$;
