-- Moves the position of a log from one offset to another and notifies of it. Returns false, and changes nothing, if the position is no
-- longer from_offset or the log was rebuilt. The rows of a small batch are passed along, as JSON by table and column, to save round trips.
create function projection.move_position(
  of_log integer, of_rebuild integer, from_offset bigint, to_offset bigint, notice text, rows jsonb)
returns boolean language plpgsql as $$
#variable_conflict use_column
begin
  perform from projection.position where log_id = of_log and next_offset = from_offset and rebuilds = of_rebuild for update;
  if not found then
    return false;
  end if;
  if rows ? 'eventlog.event' then
    insert into eventlog.event select * from jsonb_populate_recordset(null::eventlog.event, rows -> 'eventlog.event');
  end if;
  if rows ? 'projection.event_key' then
    insert into projection.event_key select * from jsonb_populate_recordset(null::projection.event_key, rows -> 'projection.event_key');
  end if;
  if rows ? 'projection.startpoint_reading' then
    insert into projection.startpoint_reading
    select * from jsonb_populate_recordset(null::projection.startpoint_reading, rows -> 'projection.startpoint_reading');
  end if;
  if rows ? 'projection.checkpoint_layout' then
    insert into projection.checkpoint_layout
    select * from jsonb_populate_recordset(null::projection.checkpoint_layout, rows -> 'projection.checkpoint_layout');
  end if;
  if rows ? 'projection.checkpoint_event' then
    insert into projection.checkpoint_event
    select * from jsonb_populate_recordset(null::projection.checkpoint_event, rows -> 'projection.checkpoint_event');
  end if;
  if rows ? 'projection.checkpoint_envelope' then
    insert into projection.checkpoint_envelope
    select * from jsonb_populate_recordset(null::projection.checkpoint_envelope, rows -> 'projection.checkpoint_envelope');
  end if;
  if rows ? 'projection.suspect_checkpoint' then
    insert into projection.suspect_checkpoint
    select * from jsonb_populate_recordset(null::projection.suspect_checkpoint, rows -> 'projection.suspect_checkpoint');
  end if;
  if rows ? 'projection.message_event' then
    insert into projection.message_event
    select * from jsonb_populate_recordset(null::projection.message_event, rows -> 'projection.message_event');
  end if;
  if rows ? 'projection.log_time' then
    insert into projection.log_time select * from jsonb_populate_recordset(null::projection.log_time, rows -> 'projection.log_time');
  end if;
  if rows ? 'projection.gap' then
    insert into projection.gap select * from jsonb_populate_recordset(null::projection.gap, rows -> 'projection.gap');
  end if;
  if rows ? 'projection.quarantine' then
    insert into projection.quarantine select * from jsonb_populate_recordset(null::projection.quarantine, rows -> 'projection.quarantine');
  end if;
  if rows ? 'resolved' then
    update projection.quarantine q
    set resolved_by = (select min(r.resolved_by) from jsonb_to_recordset(rows -> 'resolved') r(key_id integer, resolved_by bigint)
                       where r.key_id = q.key_id and r.resolved_by > q.log_offset)
    where q.log_id = of_log and q.resolved_by is null
      and q.key_id in (select r.key_id from jsonb_to_recordset(rows -> 'resolved') r(key_id integer));
  end if;
  if rows ? 'projection.checkpoint_current' then
    delete from projection.checkpoint_current c
    using jsonb_populate_recordset(null::projection.checkpoint_current, rows -> 'projection.checkpoint_current') m
    where m.layout_id is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset;
    insert into projection.checkpoint_current as c
    select * from jsonb_populate_recordset(null::projection.checkpoint_current, rows -> 'projection.checkpoint_current')
    where layout_id is not null
    on conflict (log_id, key_id) do update set
      log_offset = excluded.log_offset, record_time = excluded.record_time, layout_id = excluded.layout_id,
      checkpoint_id = excluded.checkpoint_id, offsets = excluded.offsets, offsets_odd = excluded.offsets_odd
    where c.log_offset < excluded.log_offset;
  end if;
  if rows ? 'projection.message_current' then
    delete from projection.message_current c
    using jsonb_populate_recordset(null::projection.message_current, rows -> 'projection.message_current') m
    where m.body is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset;
    insert into projection.message_current as c
    select * from jsonb_populate_recordset(null::projection.message_current, rows -> 'projection.message_current')
    where body is not null
    on conflict (log_id, key_id) do update set
      log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time,
      body = excluded.body, source = excluded.source, host = excluded.host, username = excluded.username
    where c.log_offset < excluded.log_offset;
  end if;
  -- The end that a follower saw before it was lost is an old one: if it was suspended, the log was not read since.
  update projection.position
  set next_offset = to_offset, heartbeat_at = clock_timestamp(),
      read_at = case when to_offset >= end_offset and not projection.is_lost(state, heartbeat_at) then clock_timestamp() else read_at end,
      end_offset = case when projection.is_lost(state, heartbeat_at) then null
                        when to_offset > end_offset then to_offset else end_offset end
  where log_id = of_log;
  perform pg_notify('coordstream_position', notice);
  return true;
end $$;
