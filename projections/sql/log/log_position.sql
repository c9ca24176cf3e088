-- How long a follower may be silent before it counts as lost: it writes heartbeats every 5 seconds.
create function projection.lost_after() returns interval language sql immutable parallel safe as $$
  select interval '30 seconds'
$$;

-- Whether a log's follower is lost at a time: it writes heartbeats, by this server's clock, until it stops. A heartbeat in the future is
-- from before the clock was set back, and not written since. The time is not now(): a transaction may have begun long before.
create function projection.is_lost(state text, heartbeat_at timestamptz, at timestamptz) returns boolean language sql stable parallel safe as $$
  select $1 <> 'stopped' and $2 not between $3 - projection.lost_after() and $3 + projection.lost_after()
$$;

-- Since when followers can write heartbeats: what they could not write while the server was down does not make them lost.
create function projection.writable_since() returns timestamptz language sql stable parallel safe as $$
  select pg_postmaster_start_time()
$$;

-- What a retired stream shows instead of the state of its follower.
create function projection.retired_detail(retired_at timestamptz) returns text language sql stable parallel safe as $$
  select 'retired on ' || to_char($1 at time zone 'UTC', 'YYYY-MM-DD') || ': nothing follows it'
$$;

-- The end of a log in Postgres is its head. The end of a Kafka log, as its follower last saw it, counts only until the follower is
-- lost. A stream that has no log yet has a row, too, if it was refused (then with the reason) or a follower of all streams has listed it.
create view coordinator.log_position as
select j.job_name, j.job_id, j.job_bucket, j.stream_name, j.stream_kind, j.incarnation, p.next_offset, e.end_offset,
  case when e.end_offset is not null
         and (l.backend = 'postgres' or not projection.is_lost(p.state, p.heartbeat_at, statement_timestamp()))
    then greatest(e.end_offset - p.next_offset, 0) end as lag,
  case when t.retired_at is null then p.state else 'stopped' end as state,
  coalesce(projection.retired_detail(t.retired_at), p.state_detail) as state_detail, p.heartbeat_at, p.fold_version,
  r.horizon_offset, r.horizon_time
from projection.position p join projection.job_log j on j.log_id = p.log_id
left join projection.log_horizon r on r.log_id = p.log_id
join eventlog.log l on l.log_id = p.log_id
left join eventlog.log_head h on h.log_id = p.log_id
left join eventlog.retired_stream t on t.stream_name = j.stream_name
cross join lateral (select case l.backend when 'postgres' then h.next_offset else p.end_offset end as end_offset) e
union all
select coalesce(j.job_name, r.job_name), coalesce(j.job_id, r.job_id), r.job_bucket, r.stream_name, r.stream_kind, 1, 0,
  null, null, case when t.retired_at is not null then 'stopped' when r.state_detail = '' then 'catching-up' else 'refused' end,
  coalesce(projection.retired_detail(t.retired_at), nullif(r.state_detail, '')), r.heartbeat_at, null, null, null
from projection.refused_stream r
left join eventlog.retired_stream t on t.stream_name = r.stream_name
left join lateral (
  select l.job_name, l.job_id from projection.job_log l where l.job_suffix = r.job_suffix limit 1) j on true;
comment on view coordinator.log_position is E'How far each log has been folded into the relations, which show every event below next_offset. One row per incarnation.\nKey: job_name, job_id, stream_name, incarnation.';
comment on column coordinator.log_position.stream_name is 'The stream of the log.';
comment on column coordinator.log_position.next_offset is 'The next offset to fold.';
comment on column coordinator.log_position.end_offset is 'The end of the log when its follower last read it (of a log in Postgres: its end now). Null: no follower has read it.';
comment on column coordinator.log_position.lag is 'The number of offsets from next_offset to the end of the log. Null: unknown.';
comment on column coordinator.log_position.state is '`catching-up`, `live`, `replacing` (a new incarnation is being read; the relations show the previous one), `waiting` (its follower waits for the brokers, a lock or the database: see state_detail), `refused` (it cannot be followed as it is; its follower retries) or `stopped`. A retired stream is `stopped`.';
comment on column coordinator.log_position.state_detail is 'Why the log is not followed now: why the stream is refused, what its follower waits for, or when it was retired. Null: nothing prevents it.';
comment on column coordinator.log_position.heartbeat_at is 'The last heartbeat of the log''s follower, by the clock of this server. A follower writes one every 5 seconds, and is lost after 30 seconds without one.';
comment on column coordinator.log_position.fold_version is 'The version of the code that folded the log, and a digest of the key and the patterns that mask secrets. Null: nothing was folded.';
comment on column coordinator.log_position.horizon_offset is 'The offset from which as-of functions answer. Null: no retention has cut the log.';
comment on column coordinator.log_position.horizon_time is 'The time from which as-of functions answer. Null: no retention has cut the log.';

-- Logs in Postgres that no follower has ever read and that therefore have no position.
create view projection.unread_log as
select l.stream_name, l.stream_kind, l.incarnation, h.next_offset as end_offset
from eventlog.log l join eventlog.log_head h using (log_id)
where l.backend = 'postgres'
  and not exists (select from projection.job_log j where j.stream_name = l.stream_name)
  and not exists (select from projection.refused_stream r where r.stream_name = l.stream_name);

-- Every log with the state that people and monitors see: also `retired`, or `lost` if its follower ended unexpectedly. Only the
-- newest incarnation needs a follower. The window names the job, so that a filter on the job applies below it.
create view projection.log_status as
select p.job_name, p.job_id, p.job_bucket, p.stream_name, p.stream_kind, p.incarnation, p.next_offset, p.end_offset, p.lag,
  case when t.stream_name is not null then 'retired'
       when p.is_newest and p.state <> 'refused'
         and projection.is_lost(p.state, greatest(p.heartbeat_at, projection.writable_since()), statement_timestamp()) then 'lost'
       else p.state end as state,
  p.state_detail, p.heartbeat_at, p.fold_version, p.horizon_offset, p.horizon_time, p.is_newest
from (
  select p.*, p.incarnation = max(p.incarnation) over (partition by p.job_name, p.job_id, p.stream_name) as is_newest
  from coordinator.log_position p) p
left join eventlog.retired_stream t on t.stream_name = p.stream_name;
