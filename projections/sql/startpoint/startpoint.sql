-- When a startpoint that was requested at a time (ms since 1970) expires: 12 hours later, as eventlog.startpoint.EXPIRY_MS says for
-- Python (Samza's StartpointManager.DEFAULT_EXPIRATION_DURATION). Null if timestamptz cannot represent that time.
create function projection.startpoint_expires_at(created_ms bigint) returns timestamptz language sql immutable parallel safe as $$
  select projection.to_time(least($1, 9223372036854775807 - 43200000) + 43200000)
$$;

-- Whether a requested startpoint has expired at a time. A creation time before all times that timestamptz can represent has.
create function projection.is_expired(created_ms bigint, at timestamptz) returns boolean language sql stable parallel safe as $$
  select coalesce(projection.startpoint_expires_at($1) <= $2, $1 < 0)
$$;

-- The partition and the task that a startpoint's key names. If the key can be read in several ways (`k.s.1.2`), the partitions that
-- the tasks read now (cuts null) or read at an offset of both logs decide, inputs first; if they do not, the startpoint is ambiguous.
create function projection.startpoint_meaning(log_id integer, key_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (system_name text, stream_name text, partition_id integer, task_name text, is_ambiguous boolean)
language sql stable parallel safe as $$
  select r.system_name, r.stream_name, r.partition_id, r.task_name, r.rank = 0 or r.equal_readings > 1
  from (
    select k.*, count(*) over (partition by k.rank) as equal_readings, row_number() over (order by k.rank desc, k.n) as place
    from (
      select s.*, case when s.readings > 1
          then projection.reading_rank($1, $3, $4, $5, s.system_name, s.stream_name, s.partition_id, s.task_name) else 2 end as rank
      from (select p.*, count(*) over () as readings from projection.startpoint_reading p where p.log_id = $1 and p.key_id = $2) s) k) r
  where r.place = 1
$$;

-- The rows of projection.pending_startpoint as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.pending_startpoint_at(log_id integer, cut bigint, keys integer[]) returns setof projection.pending_startpoint language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id,
    (m.body ->> 'created_ms')::bigint, m.body ->> 'startpoint_type', m.body ->> 'startpoint_value', m.source, m.host, m.username
  from projection.message_head($1, $2, 'samza-startpoint-v1', $3) m
$$;

-- Startpoints that are requested and not yet fanned out. The checkpoint topic (null = none) shows what the tasks read if the job
-- has no assignments.
create function projection.pending_startpoint(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (key_id integer, system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_ms bigint, is_ambiguous boolean,
               record_time timestamptz, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select m.key_id, r.system_name, r.stream_name, r.partition_id, -1, r.task_name, m.startpoint_type, m.startpoint_value, m.created_ms,
    r.is_ambiguous, m.record_time, m.host, m.username, m.log_offset
  from projection.pending_startpoint_state($1, $2) m
  cross join lateral projection.startpoint_meaning($1, m.key_id, $2, $3, $4) r
$$;

-- Pending startpoints by the input partition and the task (null = every task) that they name; an ambiguous one by each reading of its
-- key. Expiry is judged at the given time.
create function projection.startpoint_candidate(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, task_name text, startpoint_type text, startpoint_value text,
               created_ms bigint, is_expired boolean, is_ambiguous boolean,
               record_time timestamptz, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select n.system_name, n.stream_name, n.partition_id, n.task_name, r.startpoint_type, r.startpoint_value,
    r.created_ms, projection.is_expired(r.created_ms, $5), r.is_ambiguous, r.record_time, r.host, r.username, r.log_offset
  from projection.pending_startpoint($1, $2, $3, $4) r
  cross join lateral (
    select r.system_name, r.stream_name, r.partition_id, r.task_name where not r.is_ambiguous
    union all
    select p.system_name, p.stream_name, p.partition_id, p.task_name from projection.startpoint_reading p
    where r.is_ambiguous and p.log_id = $1 and p.key_id = r.key_id) n
$$;

-- The relation coordinator.startpoint of one log, now (cuts null) or as of an offset. Expiry is judged at the given time.
create function projection.startpoint_state(log_id integer, incarnation integer, cut bigint,
                                           checkpoint_log integer, checkpoint_cut bigint, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_at timestamptz, expires_at timestamptz, is_expired boolean, is_ambiguous boolean,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.startpoint_type, r.startpoint_value,
    projection.to_time(r.created_ms), projection.startpoint_expires_at(r.created_ms),
    projection.is_expired(r.created_ms, $6), r.is_ambiguous,
    r.record_time, null::timestamptz, null::text, r.host, r.username, 'coordinator', $2, r.log_offset
  from projection.pending_startpoint($1, $3, $4, $5) r
$$;

create view coordinator.startpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.current_job j cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, cut => null,
  checkpoint_log => j.checkpoint_log, checkpoint_cut => null, at => now()) r;
comment on view coordinator.startpoint is E'Startpoints that are requested and not yet fanned out. The next start of the job fans them out to its tasks, unless they have expired (12 hours after their creation) or are ambiguous; such startpoints stay on the log. For a partition, the newest request wins; of two created at the same time, the one for the task alone.\nKey: job_name, job_id, system_name, stream_name, partition_id, key_bucket, task_name.';
comment on column coordinator.startpoint.task_name is 'The task that the startpoint is for. Null: every task that reads the partition.';
comment on column coordinator.startpoint.created_at is 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';
comment on column coordinator.startpoint.expires_at is '12 hours after created_at. Null: timestamptz cannot represent the time.';
comment on column coordinator.startpoint.is_expired is 'Whether the startpoint has expired now (in the as-of functions: at their time).';
comment on column coordinator.startpoint.is_ambiguous is 'Whether the key on the log can be read in several ways (names with dots), and the tasks'' partitions do not decide between them.';

create function coordinator.startpoint_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.startpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, $3) r
  where j.coordinator_log is not null
$$;
comment on function coordinator.startpoint_as_of is 'coordinator.startpoint at a time: the state after all events whose log_time is not later. Expiry is judged at that time.';

create function coordinator.startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text default null, incarnation integer default null)
returns setof coordinator.startpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
  cross join lateral projection.log_time_at(j.coordinator_log, j.coordinator_cut) t
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, t.at) r
  where j.coordinator_log is not null
$$;
comment on function coordinator.startpoint_as_of_offset is 'coordinator.startpoint after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time, and expiry is judged at that time.';
