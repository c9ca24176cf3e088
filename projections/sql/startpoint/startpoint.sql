-- Whether a requested startpoint has expired at a time: 12 hours after its creation (seed 004).
create function projection.is_expired(created_ms bigint, at timestamptz) returns boolean language sql stable parallel safe as $$
  select coalesce(projection.to_time(least($1, 9223372036811575807) + 43200000) < $2, $1 < 0)
$$;

-- What a startpoint's key says. One that can be read in several ways (`k.s.1.2`) is settled by what the tasks are known to read
-- now (cuts null) or read at an offset of both logs, else it is ambiguous.
create function projection.startpoint_meaning(log_id integer, key_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (system_name text, stream_name text, partition_id integer, task_name text, is_ambiguous boolean)
language sql stable parallel safe as $$
  select r.system_name, r.stream_name, r.partition_id, r.task_name, r.readings > 1 and r.known_readings <> 1
  from (
    select k.*, count(*) filter (where k.is_known) over () as known_readings, row_number() over (order by k.is_known desc, k.n) as place
    from (
      select s.*, case when s.readings > 1
          then projection.is_read($1, $3, $4, $5, s.system_name, s.stream_name, s.partition_id, s.task_name) else true end as is_known
      from (select p.*, count(*) over () as readings from projection.startpoint_reading p where p.log_id = $1 and p.key_id = $2) s) k) r
  where r.place = 1
$$;

-- Requested startpoints that nobody has taken yet. The checkpoint topic (null = none) tells what tasks read where nothing else does.
create function projection.startpoint_request(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (key_id integer, system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_ms bigint, is_ambiguous boolean,
               record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select m.key_id, r.system_name, r.stream_name, r.partition_id, -1, r.task_name,
    m.body ->> 'startpoint_type', m.body ->> 'startpoint_value', (m.body ->> 'created_ms')::bigint,
    r.is_ambiguous, m.record_time, m.log_offset
  from projection.message_head($1, $2, 'samza-startpoint-v1') m
  cross join lateral projection.startpoint_meaning($1, m.key_id, $2, $3, $4) r
$$;

-- Requested startpoints by the input partition and the task (null = every task) that they name; an ambiguous one by all
-- that it may name. Fan-outs are not among them. Expiry is judged at a given time.
create function projection.startpoint_candidate(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, task_name text, startpoint_type text, startpoint_value text,
               created_ms bigint, is_expired boolean, is_ambiguous boolean, record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select n.system_name, n.stream_name, n.partition_id, n.task_name, r.startpoint_type, r.startpoint_value,
    r.created_ms, projection.is_expired(r.created_ms, $5), r.is_ambiguous, r.record_time, r.log_offset
  from projection.startpoint_request($1, $2, $3, $4) r
  cross join lateral (
    select r.system_name, r.stream_name, r.partition_id, r.task_name where not r.is_ambiguous
    union all
    select p.system_name, p.stream_name, p.partition_id, p.task_name from projection.startpoint_reading p
    where r.is_ambiguous and p.log_id = $1 and p.key_id = r.key_id) n
$$;

-- Requested startpoints as the relation shows them; expiry (12 h after creation, seed 004) is judged at a given time.
create function projection.startpoint_state(log_id integer, incarnation integer, cut bigint,
                                           checkpoint_log integer, checkpoint_cut bigint, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_at timestamptz, expires_at timestamptz, is_expired boolean, is_ambiguous boolean,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.startpoint_type, r.startpoint_value,
    projection.to_time(r.created_ms), projection.to_time(least(r.created_ms, 9223372036811575807) + 43200000),
    projection.is_expired(r.created_ms, $6), r.is_ambiguous,
    r.record_time, null::timestamptz, null::text, null::text, null::text, 'coordinator', $2, r.log_offset
  from projection.startpoint_request($1, $3, $4, $5) r
$$;

-- Startpoints requested and not yet handed out; expiry judged now.
create view coordinator.startpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, null, j.checkpoint_log, null, now()) r;
comment on view coordinator.startpoint is E'Requests to start a partition somewhere else, not yet handed out: the next start takes them. A request of a task beats one of every task if it is as new, and the newest beats all; after 12 hours a request is expired and counts no more, but stays on the log.\nKey: system_name, stream_name, partition_id, key_bucket, task_name.';
comment on column coordinator.startpoint.task_name is 'The task that it is for. Null: every task that reads the partition.';
comment on column coordinator.startpoint.created_at is 'When the request was made, by the clock of who made it. Null: timestamptz can''t hold it.';
comment on column coordinator.startpoint.expires_at is '12 hours after it was made. Null: timestamptz can''t hold it.';
comment on column coordinator.startpoint.is_expired is 'Whether that is over, judged when read (by the functions: at their time).';
comment on column coordinator.startpoint.is_ambiguous is 'The key on the log can be read in several ways (dots in names), and what the tasks are known to read does not settle which.';

-- coordinator.startpoint as of a time, expiry judged at that time.
create function coordinator.startpoint_as_of(job_name text, job_id text, at timestamptz)
returns setof coordinator.startpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, $3) r
  where j.coordinator_log is not null
$$;
comment on function coordinator.startpoint_as_of is 'coordinator.startpoint as it was at a time; expiry is judged at that time.';

-- coordinator.startpoint as of a log offset, inclusive; expiry judged at that event's log_time.
create function coordinator.startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text default null, incarnation integer default null)
returns setof coordinator.startpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
  cross join lateral projection.log_time_at(j.coordinator_log, j.coordinator_cut) t
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, t.at) r
  where j.coordinator_log is not null
$$;
comment on function coordinator.startpoint_as_of_offset is 'coordinator.startpoint as it was after an event of the log; expiry is judged at that event''s log_time.';
