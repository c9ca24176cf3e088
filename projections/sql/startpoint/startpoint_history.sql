-- Every startpoint ever requested on a log, up to an offset (null = the whole log), and the event that ended the request: the next
-- value of its key in any spelling (is_overwritten), or a tombstone of its own spelling. The key is read as of that event.
create function projection.startpoint_requested(log_id integer, cut bigint)
returns table (system_name text, stream_name text, partition_id integer, task_name text, is_ambiguous boolean,
               startpoint_type text, startpoint_value text, created_ms bigint, record_time timestamptz, log_offset bigint,
               host text, username text, is_overwritten boolean, end_time timestamptz, end_host text, end_username text, end_offset bigint)
language sql stable parallel safe as $$
  select r.system_name, r.stream_name, r.partition_id, r.task_name, r.is_ambiguous,
    e.body ->> 'startpoint_type', e.body ->> 'startpoint_value', (e.body ->> 'created_ms')::bigint, e.record_time, e.log_offset,
    e.host, e.username, n.is_overwritten, n.record_time, n.host, n.username, n.log_offset
  from projection.event_key k
  join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
  left join lateral (
    select x.* from projection.event_key s
    cross join lateral (
      select m.body is not null as is_overwritten, m.record_time, m.host, m.username, m.log_offset from projection.message_event m
      where m.log_id = s.log_id and m.key_id = s.key_id and m.log_offset > e.log_offset and m.log_offset <= coalesce($2, 9223372036854775807)
        and (m.body is not null or m.key_id = e.key_id)
      order by m.log_offset limit 1) x
    where s.log_id = k.log_id and s.message_type = 'samza-startpoint-v1' and not s.is_other
      and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key
    order by x.log_offset limit 1) n on true
  left join lateral (                                      -- only for a key that can be read in several ways
    select l.* from (select s.log_id from projection.startpoint_reading s where s.log_id = k.log_id and s.key_id = k.key_id and s.n = 2 offset 0) s
    cross join lateral projection.checkpoint_log_at(s.log_id, coalesce(n.log_offset, $2)) l) p on true
  cross join lateral projection.startpoint_meaning(k.log_id, k.key_id, coalesce(n.log_offset, $2), p.log_id, p.cut) r
  where k.log_id = $1 and k.message_type = 'samza-startpoint-v1' and not k.is_other
    and e.body is not null and e.log_offset <= coalesce($2, 9223372036854775807)
$$;

-- The relation coordinator.startpoint_history of one log up to an offset (cut null = the whole log). Expiry is judged at the given time.
-- A request is fanned out if, while it is pending, a fan-out has the same startpoint. It is superseded if, before it expires, a
-- fan-out has a later startpoint for its partition (of two created at the same time, the one for the task alone wins).
create function projection.startpoint_history_state(log_id integer, incarnation integer, cut bigint, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_at timestamptz, status text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  with requested as (
    select a.* from projection.startpoint_requested($1, $3) a
  ), fanned_out as (
    select h.* from projection.startpoint_fanned_out($1, $3) h
  ), fan_out_of_request as (                       -- fan-outs of the partition while the request is pending
    select a.log_offset,
      (h.startpoint_type, h.created_ms) = (a.startpoint_type, a.created_ms) and h.startpoint_value is not distinct from a.startpoint_value as is_same,
      (h.created_ms > a.created_ms or h.created_ms = a.created_ms and a.task_name is null)
        and not projection.is_expired(a.created_ms, h.record_time) as is_later,
      h.record_time as fan_out_time, h.host, h.username, h.log_offset as fan_out_offset
    from requested a join fanned_out h using (system_name, stream_name, partition_id)
    where not a.is_ambiguous and (a.task_name is null or a.task_name = h.task_name)
      and h.log_offset > a.log_offset and h.log_offset < coalesce(a.end_offset, 9223372036854775807)
  ), outcome as materialized (
    select m.log_offset, bool_or(m.is_same) as is_fanned_out, min(m.fan_out_offset) filter (where m.is_later and not m.is_same) as superseded_offset,
      (array_agg(m.fan_out_time order by m.fan_out_offset) filter (where m.is_later and not m.is_same))[1] as superseded_time,
      (array_agg(m.host order by m.fan_out_offset) filter (where m.is_later and not m.is_same))[1] as superseded_host,
      (array_agg(m.username order by m.fan_out_offset) filter (where m.is_later and not m.is_same))[1] as superseded_username
    from fan_out_of_request m group by m.log_offset
  ), not_fanned_out as (
    select a.*, o.superseded_offset, o.superseded_time, o.superseded_host, o.superseded_username, projection.startpoint_expires_at(a.created_ms) as expires_at
    from requested a left join outcome o using (log_offset)
    where o.is_fanned_out is not true
  ), step as (
    select a.system_name, a.stream_name, a.partition_id, -1 as key_bucket, a.task_name, a.startpoint_type, a.startpoint_value, a.created_ms,
      'requested' as status, a.record_time, a.host, a.username, a.log_offset
    from requested a
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      'superseded', u.superseded_time, u.superseded_host, u.superseded_username, u.superseded_offset
    from not_fanned_out u where u.superseded_offset is not null
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      case when u.is_overwritten then 'superseded' else 'deleted' end, u.end_time, u.end_host, u.end_username, u.end_offset
    from not_fanned_out u where u.superseded_offset is null and u.end_offset is not null
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      'expired', u.expires_at, null, null, null
    from not_fanned_out u
    where projection.is_expired(u.created_ms, $4)
      and coalesce(u.expires_at <= coalesce(u.superseded_time, u.end_time), coalesce(u.superseded_offset, u.end_offset) is null)
    union all
    select h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.task_name, h.startpoint_type, h.startpoint_value, h.created_ms,
      'fanned_out', h.record_time, h.host, h.username, h.log_offset
    from fanned_out h
    union all
    select r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.startpoint_type, r.startpoint_value, r.created_ms,
      r.status, r.record_time, r.host, r.username, r.log_offset
    from projection.startpoint_removed($1, $3) r
  )
  select s.system_name, s.stream_name, s.partition_id, s.key_bucket, s.task_name, s.startpoint_type, s.startpoint_value,
    projection.to_time(s.created_ms), s.status, s.record_time, null::timestamptz, null::text, s.host, s.username, 'coordinator', $2, s.log_offset
  from step s
  cross join projection.base_end($1) b
  where s.status = 'requested' or coalesce(s.log_offset > b.last_offset, true)
$$;

create view coordinator.startpoint_history as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_log j cross join lateral projection.startpoint_history_state(j.log_id, j.incarnation, cut => null, at => now()) r
where j.stream_kind = 'coordinator';
comment on view coordinator.startpoint_history is E'Every step of every startpoint: requested; then superseded, deleted or expired, or fanned out to tasks and there consumed, refused, superseded or deleted. Whether a request has expired is judged now (in the as-of function: at its time). After a retention: the steps beyond the horizon, and the requests that were pending there.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, system_name, stream_name, partition_id, key_bucket, task_name, created_at, status.';
comment on column coordinator.startpoint_history.task_name is 'The task that the startpoint was requested for or fanned out to. Null: requested for every task.';
comment on column coordinator.startpoint_history.startpoint_type is 'oldest, upcoming, specific or timestamp.';
comment on column coordinator.startpoint_history.startpoint_value is 'The next offset to read, or a time in ms since 1970. Null: oldest and upcoming have none.';
comment on column coordinator.startpoint_history.created_at is 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';
comment on column coordinator.startpoint_history.status is 'requested; superseded: overwritten, or another startpoint won the fan-out; fanned_out: to the task; consumed: removed from the fan-out after the partition''s checkpoint was written again; refused: the same, but that checkpoint continues from the old position; expired: not fanned out within 12 hours of its creation; deleted: removed before it was consumed.';
comment on column coordinator.startpoint_history.record_time is 'The time of the step''s log record; for expired, when the startpoint expired. Null: timestamptz cannot represent the time.';
comment on column coordinator.startpoint_history.message_time is 'Startpoints have no envelope. Null: always.';
comment on column coordinator.startpoint_history.source is 'Startpoints have no envelope. Null: always.';
comment on column coordinator.startpoint_history.host is 'The host of the step''s writer, from the headers that coordstream writes. Null: another program wrote the event, or the startpoint expired, which is not an event.';
comment on column coordinator.startpoint_history.username is 'The user who wrote the step, from the headers that coordstream writes. Null: another program wrote the event, or the startpoint expired, which is not an event.';
comment on column coordinator.startpoint_history.log_offset is 'The offset of the step''s event. Null: the startpoint expired, which is not an event.';

-- Raises if one of the logs no longer has its events up to that time.
create function coordinator.startpoint_history_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.startpoint_history language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_log j
  cross join lateral (select projection.retained_cut(j.log_id, x.cut) as cut from projection.log_cut(j.log_id, $3) x where x.cut >= 0 offset 0) c
  cross join lateral projection.startpoint_history_state(j.log_id, j.incarnation, c.cut, $3) r
  where j.job_name = $1 and j.job_id = $2 and j.stream_kind = 'coordinator'
$$;
comment on function coordinator.startpoint_history_as_of is 'coordinator.startpoint_history at a time: the steps of all events whose log_time is not later. Expiry is judged at that time.';
