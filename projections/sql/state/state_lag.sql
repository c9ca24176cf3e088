-- The state of a store in one checkpoint, and since which commit of the same version it is the same: the event at changed_log_offset was the
-- first with it, earlier_log_offset the one before (null: none), in any spelling of the key. Versions 0 and 1 have no markers: there a store is found by its changelog.
create function projection.state_change(log_id integer, task_name text, checkpoint_version integer, log_offset bigint,
                                        store_name text, factory_name text, marker text, changelog_system text,
                                        changelog_stream text, changelog_partition integer, changelog_offset text)
returns table (commits_since_change bigint, changed_at timestamptz, changed_log_offset bigint, earlier_log_offset bigint)
language sql stable parallel safe as $$
  select n.commits - 1, f.record_time, f.log_offset, d.log_offset
  from (
    select array(select s.key_id from projection.same_checkpoint_key($1, k.key_id) s) as keys
    from projection.event_key k
    join projection.checkpoint_event e on e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset = $4
    where k.log_id = $1 and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other
      and left(k.message_key, 100) = left($2, 100) and k.message_key = $2 and k.checkpoint_version = $3 offset 0) k
  cross join lateral (
    select max(c.log_offset) as log_offset from unnest(k.keys) y(key_id)
    cross join lateral (
      select e.log_offset
      from projection.checkpoint_event e
      left join lateral (
        select true as is_there, l.marker_prefix || coalesce(x.state_offset, '') || l.marker_suffix as marker,
          case when l.stream_name is not null then x.state_offset end as earlier_offset
        from projection.layout_entry l
        cross join lateral (select projection.offset_of(e.offsets, e.offsets_odd, l.n)) x(state_offset)
        where l.log_id = $1 and l.layout_id = e.layout_id
          and case when $7 is null then (l.system_name, l.stream_name, l.partition_id) = ($8, $9, $10)
                   else l.is_state and (l.factory_name, l.store_name) = ($6, $5) end
        limit 1) s on true
      where e.log_id = $1 and e.key_id = y.key_id and e.log_offset < $4
        and (s.is_there is null or s.marker is distinct from $7 or s.earlier_offset is distinct from $11)
      order by e.log_offset desc limit 1) c) d
  cross join lateral (
    select sum(c.commits)::bigint as commits, min(c.first_offset) as first_offset from unnest(k.keys) y(key_id)
    cross join lateral (
      select count(*) as commits, min(e.log_offset) as first_offset from projection.checkpoint_event e
      where e.log_id = $1 and e.key_id = y.key_id and e.log_offset > coalesce(d.log_offset, -1) and e.log_offset <= $4) c) n
  cross join lateral (
    select x.* from unnest(k.keys) y(key_id)
    cross join lateral (                                   -- `offset 0`: by index, key by key
      select e.record_time, e.log_offset from projection.checkpoint_event e
      where e.log_id = $1 and e.key_id = y.key_id and e.log_offset = n.first_offset offset 0) x) f
$$;

-- The relation coordinator.state_lag of one job, now (cuts null) or as of an offset of both logs.
create function projection.state_lag_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[])
returns table (task_name text, store_name text, factory_name text, marker text, changelog_system text, changelog_stream text,
               changelog_partition integer, changelog_offset text, commits_since_change bigint, changed_at timestamptz, age_seconds bigint,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               log_id integer, log_offset bigint)
language sql stable parallel safe as $$
  select s.task_name, s.store_name, s.factory_name, s.marker, s.changelog_system, s.changelog_stream,
    s.changelog_partition, s.changelog_offset, c.commits_since_change, c.changed_at,
    case when (c.changed_at, s.record_time) is not null
      then greatest(extract(epoch from projection.time_between(c.changed_at, s.record_time)), 0)::bigint end,
    s.record_time, s.message_time, s.source, s.host, s.username, s.log_id, s.log_offset
  from projection.state_checkpoint_state($1, $2, $3, $4) s
  cross join lateral projection.state_change(s.log_id, s.task_name, s.checkpoint_version, s.log_offset, s.store_name, s.factory_name,
    s.marker, s.changelog_system, s.changelog_stream, s.changelog_partition, s.changelog_offset) c
$$;

create view coordinator.state_lag as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.store_name, r.factory_name, r.marker, r.changelog_system, r.changelog_stream,
  r.changelog_partition, r.changelog_offset, r.commits_since_change, r.changed_at, r.age_seconds,
  r.record_time, r.message_time, r.source, r.host, r.username,
  case when j.checkpoint_log is null then 'coordinator' else 'checkpoint' end as stream_kind,
  case when j.checkpoint_log is null then j.coordinator_incarnation else j.checkpoint_incarnation end as incarnation, r.log_offset
from projection.current_job j
cross join lateral projection.state_lag_at(j.coordinator_log, null, j.checkpoint_log, null, null) r;
comment on view coordinator.state_lag is E'For how many commits, and for how long, the backup of each store has not changed: the rows of state_checkpoint, with the commits of the same version since the marker last changed. A store that the task does not write does not change either; compare it with the stores and tasks beside it. Reads these commits: about 0.1 s for 10,000 of them. After a retention: only commits beyond the horizon count.\nKey: job_name, job_id, task_name, store_name, factory_name, changelog_system, changelog_stream, changelog_partition.';
comment on column coordinator.state_lag.store_name is 'The store; empty if version 1 has a changelog for which config names no store.';
comment on column coordinator.state_lag.marker is 'What the backend wrote to find its backup again. Null: version 1 has no markers; changelog_offset says how far the store was backed up.';
comment on column coordinator.state_lag.changelog_system is 'The system of the changelog. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_lag.changelog_stream is 'The stream of the changelog. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_lag.changelog_partition is 'The partition of the changelog. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_lag.changelog_offset is 'The last offset of the changelog that is part of the checkpoint. Null: the changelog was empty, or the backend keeps none in Kafka.';
comment on column coordinator.state_lag.commits_since_change is 'The number of commits after the one that changed the marker; 0 if the last commit did.';
comment on column coordinator.state_lag.changed_at is 'The record time of the commit that changed the marker. Null: timestamptz cannot represent the time.';
comment on column coordinator.state_lag.age_seconds is 'The time from changed_at to record_time, the task''s last commit, in whole seconds. Null: timestamptz cannot represent one of the times.';
