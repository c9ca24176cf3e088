create view projection.log_gap as
select j.log_id, g.first_offset, g.last_offset, g.reason
from projection.job_log j
left join lateral (
  select h.horizon_offset, (select min(t.log_offset) from projection.log_time t where t.log_id = j.log_id) as first_offset
  from projection.log_horizon h where h.log_id = j.log_id) r on true
cross join lateral (
  select h.first_offset, h.last_offset, 'compacted' as reason
  from projection.gap h
  where h.log_id = j.log_id and (r.horizon_offset is null or h.first_offset < r.first_offset or h.first_offset > r.horizon_offset)
  union all
  select r.first_offset + 1, r.horizon_offset - 1, 'retained' where r.horizon_offset > r.first_offset + 1
  union all
  select o.from_offset, o.to_offset, case o.kind when 'gap' then 'compacted' else o.kind end
  from eventlog.observation o
  where o.log_id = j.log_id and (o.kind in ('truncated', 'recreated') or o.kind = 'gap' and not exists (
    select from projection.gap h where h.log_id = o.log_id and h.first_offset <= o.to_offset and h.last_offset >= o.from_offset))) g;

create view coordinator.log_gap as
select j.job_name, j.job_id, j.job_bucket, j.stream_name, j.stream_kind, j.incarnation,
  g.first_offset as first_missing_offset, g.last_offset as last_missing_offset, g.reason
from projection.job_log j join projection.log_gap g on g.log_id = j.log_id;
comment on view coordinator.log_gap is E'Ranges of offsets that are missing from a log, and why. Events that are `compacted` or `recreated` were never read; those that are `truncated` may be in the archive, in the previous incarnation. Of a `retained` range, retention detached the events; the archive keeps only what the state at its end needs.\nKey: job_name, job_id, stream_name, incarnation, first_missing_offset, reason.';
comment on column coordinator.log_gap.stream_name is 'The stream of the log.';
comment on column coordinator.log_gap.first_missing_offset is 'The first missing offset.';
comment on column coordinator.log_gap.last_missing_offset is 'The last missing offset. Null: the end of the range is unknown.';
comment on column coordinator.log_gap.reason is '`compacted` (Kafka removed the events before they were read, or the offsets never were events), `truncated` (the log was truncated), `recreated` (the topic was deleted and created again) or `retained` (coordstream retention detached the events).';
