-- Whether a log's follower ended without saying so: its heartbeats come every 5 seconds, by this server's clock.
create function projection.is_lost(state text, heartbeat_at timestamptz) returns boolean language sql stable parallel safe as $$
  select $1 <> 'stopped' and $2 < now() - interval '30 seconds'
$$;

-- How far each log has been folded. A Postgres log's end is its head; what a follower last saw of another log's end
-- counts only while the follower lives. A stream that was refused before it had a log has a row, too.
create view coordinator.log_position as
select j.job_name, j.job_id, j.job_bucket, j.stream_name, j.stream_kind, j.incarnation, p.next_offset, e.end_offset,
  case when e.end_offset is not null
         and (l.backend = 'postgres' or not projection.is_lost(p.state, p.heartbeat_at))
    then greatest(e.end_offset - p.next_offset, 0) end as lag, p.state, p.state_detail, p.heartbeat_at, p.fold_version
from projection.position p join projection.job_log j on j.log_id = p.log_id
join eventlog.log l on l.log_id = p.log_id
left join eventlog.log_head h on h.log_id = p.log_id
cross join lateral (select case l.backend when 'postgres' then h.next_offset else p.end_offset end as end_offset) e
union all
select coalesce(j.job_name, r.job_name), coalesce(j.job_id, r.job_id), r.job_bucket, r.stream_name, r.stream_kind, 1, 0,
  null, null, 'refused', r.state_detail, r.heartbeat_at, null
from projection.refused_stream r
left join lateral (
  select l.job_name, l.job_id from projection.job_log l where l.job_suffix = r.job_suffix limit 1) j on true;
comment on view coordinator.log_position is E'How far each log has been folded into the relations: what is below next_offset shows, all of it. Every incarnation is a row.\nKey: stream_name, incarnation.';
comment on column coordinator.log_position.stream_name is 'The log''s stream.';
comment on column coordinator.log_position.next_offset is 'The next offset to be folded.';
comment on column coordinator.log_position.end_offset is 'Where the log ended when its follower last looked (a log in Postgres: where it ends). Null: nobody looked.';
comment on column coordinator.log_position.lag is 'How many offsets there are from the position to the end. Null: unknown, which is not zero.';
comment on column coordinator.log_position.state is '`catching-up`, `live`, `replacing` (a new incarnation is being read, the one before is shown), `refused` (it cannot be followed as it is; its follower tries again) or `stopped`.';
comment on column coordinator.log_position.state_detail is 'Why the log is not followed now: what a refused stream lacks, or what its follower waits for. Null: there is nothing to say.';
comment on column coordinator.log_position.heartbeat_at is 'When a follower was last alive, by the clock of this server: every 5 seconds, so 30 without one mean that it is lost.';
comment on column coordinator.log_position.fold_version is 'Version of the code that folded the log, and a digest of the key and the patterns for secrets. Null: nothing was folded.';

-- Logs that Postgres keeps and no follower has ever read, so that they have no position.
create view projection.unread_log as
select l.stream_name, l.stream_kind, l.incarnation, h.next_offset as end_offset
from eventlog.log l join eventlog.log_head h using (log_id)
where l.backend = 'postgres'
  and not exists (select from projection.job_log j where j.stream_name = l.stream_name)
  and not exists (select from projection.refused_stream r where r.stream_name = l.stream_name);
