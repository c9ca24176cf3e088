-- Needs: *
-- Moves the position of a log from one offset to another and notifies of it. Returns false, and changes nothing, if the position is no
-- longer from_offset or the log was rebuilt. The rows of a small batch are passed along, as JSON by table and column, to save round trips.
do $do$
declare
  inserts constant text := (
    select string_agg(format($insert$
  if rows ? %1$L then
    insert into %1$s select * from jsonb_populate_recordset(null::%1$s, rows -> %1$L);
  end if;$insert$, t.name), '')
    from unnest(array['eventlog.event', 'projection.event_key', 'projection.startpoint_reading', 'projection.checkpoint_layout',
                      'projection.checkpoint_event', 'projection.checkpoint_envelope', 'projection.suspect_checkpoint',
                      'projection.message_event', 'projection.log_time', 'projection.gap', 'projection.quarantine']) t(name));
begin
execute format($template$
create function projection.move_position(
  of_log integer, of_rebuild integer, from_offset bigint, to_offset bigint, notice text, rows jsonb)
returns boolean language plpgsql as $$
#variable_conflict use_column
begin
  perform from projection.position where log_id = of_log and next_offset = from_offset and rebuilds = of_rebuild for update;
  if not found then
    return false;
  end if;%s
  if rows ? 'resolved' then
    update projection.quarantine q
    set resolved_by = (select min(r.resolved_by) from jsonb_to_recordset(rows -> 'resolved') r(key_id integer, resolved_by bigint)
                       where r.key_id = q.key_id and r.resolved_by > q.log_offset)
    where q.log_id = of_log and q.resolved_by is null
      and q.key_id in (select r.key_id from jsonb_to_recordset(rows -> 'resolved') r(key_id integer));
  end if;
  if rows ? 'touched' then
    perform projection.keep_current(of_log, array(select key::integer from jsonb_array_elements_text(rows -> 'touched' -> 'messages') key),
                                    array(select key::integer from jsonb_array_elements_text(rows -> 'touched' -> 'checkpoints') key));
  end if;
  -- The end that a follower saw before it was lost is an old one: if it was suspended, the log was not read since.
  update projection.position
  set next_offset = to_offset, heartbeat_at = m.moved_at,
      read_at = case when to_offset >= end_offset and not projection.is_lost(state, heartbeat_at, m.moved_at) then m.moved_at else read_at end,
      end_offset = case when projection.is_lost(state, heartbeat_at, m.moved_at) then null
                        when to_offset > end_offset then to_offset else end_offset end
  from (select clock_timestamp()) m(moved_at) where log_id = of_log;
  perform pg_notify('coordstream_position', notice);
  return true;
end $$;
$template$, inserts);
end $do$;
