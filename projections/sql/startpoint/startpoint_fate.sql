-- Why a startpoint left its task's fan-out, from the checkpoint written last before (time, offset) and the one before that.
-- A partition stays in the fan-out until something of it was read, so that an equal offset means that it was read again, and a
-- higher one that the task went on from the old place, or had read past it already. `refused` = higher, and what would have
-- been read again (from a time: unknown, taken for more) is more than what was read anew; or the startpoint was not reached.
-- No checkpoint known: consumed. None written since the fan-out: deleted.
create function projection.startpoint_fate(startpoint_type text, startpoint_value text, fanned_out_at timestamptz,
                                           checkpoint_time timestamptz, input_offset text, earlier_time timestamptz, earlier_offset text)
returns text language sql immutable parallel safe as $$
  select case
    when $4 is null then 'consumed'
    when $4 < $3 or $5 is null then 'deleted'
    when o.new > o.old and case
      when $1 = 'upcoming' then false
      when $1 = 'timestamp' then projection.to_time(o.start) <= $6
      when o.start is null then true
      when o.start <= o.old then o.old - o.start + 1 > o.new - o.old
      else o.new < o.start end then 'refused'
    else 'consumed' end
  from (select projection.offset_number($5), projection.offset_number($7), case when $1 = 'oldest' then 0 else projection.offset_number($2) end) o(new, old, start)
$$;
