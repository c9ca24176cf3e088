-- The last offset of a log as of a time; -1 = none. All events up to it are visible, because log_time never decreases along a log.
-- One index probe of the sparse log_time, then a scan of at most one stretch of the archive.
create function projection.log_cut(log_id integer, at timestamptz) returns table (cut bigint) language sql stable parallel safe as $$
  select coalesce(
    (select coalesce(
        (select e.log_offset - 1 from projection.archived_event e
         where e.log_id = $1 and e.log_offset > s.log_offset and e.record_time > $2 and e.record_time <= e.archived_at + interval '1 hour'
         order by e.log_offset limit 1),
        9223372036854775807)
     from (select t.log_offset from projection.log_time t where t.log_id = $1 and t.log_time <= $2
           order by t.log_time desc, t.log_offset desc limit 1) s),
    -1)
$$;

-- An offset at or after log_cut of ten minutes after a time, by at most one stretch of log_time: where a backward search can begin.
-- One index probe; log_cut also reads the stretch to find the exact offset. The time is limited because timestamptz has to
-- represent the sum: log_time is never in that year, since record times far in the future do not count.
create function projection.log_bound(log_id integer, at timestamptz) returns table (bound bigint) language sql stable parallel safe as $$
  select coalesce(
    (select t.log_offset from projection.log_time t where t.log_id = $1 and t.log_time > least($2, timestamptz '294276-01-01 00:00:00+00') + interval '10 minutes' order by t.log_time, t.log_offset limit 1),
    9223372036854775807)
$$;

-- The log_time of the last event at or before an offset; no row before the log's first event.
create function projection.log_time_at(log_id integer, log_offset bigint) returns table (at timestamptz) language sql stable parallel safe as $$
  select greatest(s.log_time,
    (select max(e.record_time) from projection.archived_event e
     where e.log_id = $1 and e.log_offset > s.log_offset and e.log_offset <= $2 and e.record_time <= e.archived_at + interval '1 hour'))
  from (select t.log_time, t.log_offset from projection.log_time t where t.log_id = $1 and t.log_offset <= $2
        order by t.log_offset desc limit 1) s
$$;

-- Returns the cut if the archive still has what the state there needs, and raises otherwise: below the horizon that a retention has set, and
-- where partitions of the archive were detached by hand. The sparse log_time stays then: if it has an entry at or below the cut, the
-- archive must have an event there, too.
-- Called once per log and query, behind a LIMIT or as a filter, so that as-of functions can still be inlined.
create function projection.retained_cut(log_id integer, cut bigint) returns bigint language plpgsql stable parallel safe as $$
declare
  known bigint := (select max(t.log_offset) from projection.log_time t where t.log_id = $1 and t.log_offset <= $2);
  horizon record;
begin
  if known is null then  -- the log had no events by then
    return $2;
  end if;
  select h.horizon_offset, h.horizon_time, l.stream_name into horizon
  from projection.log_horizon h join projection.job_log l on l.log_id = h.log_id
  where h.log_id = $1 and h.horizon_offset > $2;
  if found then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'The history of "%s" is retained from %s UTC (offset %s). Use that time or a later one.', horizon.stream_name,
      to_char(horizon.horizon_time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), horizon.horizon_offset);
  end if;
  if exists (select from projection.archived_event e where e.log_id = $1 and e.log_offset = known)
     or exists (select from projection.archived_event e where e.log_id = $1 and e.log_offset <= $2) then
    return $2;
  end if;
  raise exception using errcode = 'invalid_parameter_value', message = (
    select case when r.first_offset is null then format('The archive no longer has any event of "%s".', l.stream_name)
      else format('The archive of "%s" begins at offset %s. Use that offset or a later one, or a later time.',
                  l.stream_name, r.first_offset) end
    from projection.job_log l
    cross join lateral (select min(e.log_offset) as first_offset from projection.archived_event e where e.log_id = l.log_id) r
    where l.log_id = $1);
end
$$;

-- When a log begins to be shown: at the log_time of its first event, but not before that of the first event that an earlier incarnation has
-- lost (of its last one, if the stream was re-created): after a compaction, a log may begin with any event. No row: it has no event.
create function projection.log_begins_at(log_id integer) returns table (at timestamptz) language sql stable parallel safe as $$
  select greatest(f.log_time, (
    select max(t.at)
    from projection.job_log o
    cross join lateral (
      select x.from_offset from projection.changed_past x where x.log_id = o.log_id order by x.observation_id desc limit 1) x
    cross join lateral projection.log_time_at(o.log_id, x.from_offset) t
    where o.job_suffix = n.job_suffix and o.stream_kind = n.stream_kind and o.incarnation < n.incarnation))
  from projection.job_log n
  cross join lateral (select t.log_time from projection.log_time t where t.log_id = n.log_id order by t.log_offset limit 1) f
  where n.log_id = $1
$$;

-- The part of a log that is shown: from when it begins until the next incarnation of its stream does (null = this one is current). What it has
-- before and after that, other incarnations show. Its events are those after after_offset and up to last_offset (null = all). No row: the log
-- has no event, or is not complete.
create function projection.log_shown(log_id integer)
returns table (since timestamptz, until timestamptz, after_offset bigint, last_offset bigint) language sql stable parallel safe as $$
  select b.at, e.at, (select c.cut from projection.log_cut(l.log_id, projection.just_before(b.at)) c),
    case when e.at is not null then (select c.cut from projection.log_cut(l.log_id, projection.just_before(e.at)) c) end
  from projection.job_log l
  cross join lateral projection.log_begins_at(l.log_id) b
  cross join lateral (
    select min(a.at) as at
    from projection.job_log n cross join lateral projection.log_begins_at(n.log_id) a
    where n.job_suffix = l.job_suffix and n.stream_kind = l.stream_kind and n.incarnation > l.incarnation and n.is_complete) e
  where l.log_id = $1 and l.is_complete
  offset 0                                                 -- once for each log, not for each of its events
$$;

-- The interval of log_time for which the value of an event is valid: until another event (null = none yet), within the part of its log that
-- is shown. valid_to null = still valid; equal times = valid at no time.
create function projection.log_validity(log_id integer, from_offset bigint, to_offset bigint, since timestamptz, until timestamptz)
returns table (valid_from timestamptz, valid_to timestamptz) language sql stable parallel safe as $$
  select greatest(f.at, $4), case when coalesce(n.at, $5) is not null then greatest(f.at, $4, least(n.at, $5)) end
  from projection.log_time_at($1, $2) f
  left join lateral projection.log_time_at($1, $3) n on true
$$;
