-- What logs have lost: compacted away before it could be read, cut off (the archive may have it), gone with a topic.
create view coordinator.log_gap as
select j.job_name, j.job_id, j.job_bucket, j.stream_name, j.stream_kind, j.incarnation,
  g.first_offset as first_missing_offset, g.last_offset as last_missing_offset, g.reason
from projection.job_log j
cross join lateral (
  select h.first_offset, h.last_offset, 'compacted' as reason from projection.gap h where h.log_id = j.log_id
  union all
  select o.from_offset, o.to_offset, case o.kind when 'gap' then 'compacted' else o.kind end
  from eventlog.observation o
  where o.log_id = j.log_id and (o.kind in ('truncated', 'recreated') or o.kind = 'gap' and not exists (
    select from projection.gap h where h.log_id = o.log_id and h.first_offset <= o.to_offset and h.last_offset >= o.from_offset))) g;
comment on view coordinator.log_gap is E'Stretches of offsets that a log has lost, and why. What was compacted or recreated was never read; what was truncated may stand in the archive, under the incarnation before.\nKey: stream_name, incarnation, first_missing_offset, reason.';
comment on column coordinator.log_gap.stream_name is 'The log''s stream.';
comment on column coordinator.log_gap.first_missing_offset is 'The first offset that is missing.';
comment on column coordinator.log_gap.last_missing_offset is 'The last offset that is missing. Null: nobody knows where the stretch ended.';
comment on column coordinator.log_gap.reason is '`compacted` (Kafka had removed it before it was read, or it never was an event), `truncated` (the log was cut) or `recreated` (the topic was made again).';
