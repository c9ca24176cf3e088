-- The life of every startpoint of a log, a row a step, up to an offset (cut null = all of it); expiry is judged at a given time.
-- A request is taken by a fan-out that holds the same startpoint while the request stands; it loses to one that holds a
-- later one for its partition (at equal times the task's own wins).
create function projection.startpoint_life_state(log_id integer, incarnation integer, cut bigint, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_at timestamptz, status text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  with asked as (
    select a.* from projection.startpoint_asked($1, $3) a
  ), handed as (
    select h.* from projection.startpoint_handed($1, $3) h
  ), met as (                                      -- fan-outs written while a request for the partition stood
    select a.log_offset,
      (h.startpoint_type, h.created_ms) = (a.startpoint_type, a.created_ms) and h.startpoint_value is not distinct from a.startpoint_value as is_same,
      h.created_ms > a.created_ms or h.created_ms = a.created_ms and a.task_name is null as is_later,
      h.record_time as fan_out_time, h.log_offset as fan_out_offset
    from asked a join handed h using (system_name, stream_name, partition_id)
    where not a.is_ambiguous and (a.task_name is null or a.task_name = h.task_name)
      and h.log_offset > a.log_offset and h.log_offset < coalesce(a.end_offset, 9223372036854775807)
  ), outcome as (
    select m.log_offset, bool_or(m.is_same) as is_taken, min(m.fan_out_offset) filter (where m.is_later and not m.is_same) as lost_offset,
      (array_agg(m.fan_out_time order by m.fan_out_offset) filter (where m.is_later and not m.is_same))[1] as lost_time
    from met m group by m.log_offset
  ), untaken as (
    select a.*, o.lost_offset, o.lost_time, projection.to_time(least(a.created_ms, 9223372036811575807) + 43200000) as expires_at
    from asked a left join outcome o using (log_offset)
    where o.is_taken is not true
  ), step as (
    select a.system_name, a.stream_name, a.partition_id, -1 as key_bucket, a.task_name, a.startpoint_type, a.startpoint_value, a.created_ms,
      'requested' as status, a.record_time, a.log_offset
    from asked a
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      'superseded', u.lost_time, u.lost_offset
    from untaken u where u.lost_offset is not null
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      case when u.is_overwritten then 'superseded' else 'deleted' end, u.end_time, u.end_offset
    from untaken u where u.lost_offset is null and u.end_offset is not null
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      'expired', u.expires_at, null
    from untaken u
    where coalesce(u.expires_at < $4, u.created_ms < 0)
      and coalesce(u.expires_at < coalesce(u.lost_time, u.end_time), coalesce(u.lost_offset, u.end_offset) is null)
    union all
    select h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.task_name, h.startpoint_type, h.startpoint_value, h.created_ms,
      'fanned_out', h.record_time, h.log_offset
    from handed h
    union all
    select r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.startpoint_type, r.startpoint_value, r.created_ms,
      r.status, r.record_time, r.log_offset
    from projection.startpoint_removed($1, $3) r
  )
  select s.system_name, s.stream_name, s.partition_id, s.key_bucket, s.task_name, s.startpoint_type, s.startpoint_value,
    projection.to_time(s.created_ms), s.status, s.record_time, null::timestamptz, null::text, null::text, null::text, 'coordinator', $2, s.log_offset
  from step s
$$;
