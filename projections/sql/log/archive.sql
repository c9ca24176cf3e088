-- The columns of eventlog.log that readers of the projection may read.
create view projection.archived_log as
select l.log_id, l.backend, l.cluster_id, l.topic_id from eventlog.log l;

-- What readers of the projection may read of the observations: where the past of a log changed, newest last.
create view projection.changed_past as
select o.log_id, o.observation_id, o.from_offset from eventlog.observation o where o.kind in ('truncated', 'recreated');

-- The events of the archive without their bytes, which readers of the projection may not read.
create view projection.archived_event as
select e.log_id, e.log_offset, e.record_time, e.archived_at, sha256(e.key) as key_sha256
from eventlog.event e;

-- The horizon of each log of which `coordstream retention` has detached events. Below it, the archive and the histories have only the first
-- event of the log and what the state at the horizon needs.
create view projection.log_horizon as
select h.log_id, max(h.horizon_offset) as horizon_offset, max(h.horizon_time) as horizon_time
from eventlog.horizon h
group by h.log_id;

-- The offset up to which a log's events are known only as far as a state needs them (-1 = all are known): what an event up to there changed,
-- and what it replaced, is unknown.
create function projection.base_end(log_id integer) returns table (last_offset bigint) language sql stable parallel safe as $$
  select coalesce(max(h.horizon_offset), -1) from projection.log_horizon h where h.log_id = $1
$$;

-- The streams that nothing is expected to follow.
create view projection.retired_stream as
select r.stream_name, r.retired_at from eventlog.retired_stream r;
