-- How far each log has been folded.
create view coordinator.log_position as
select j.job_name, j.job_id, j.job_bucket, j.stream_name, j.stream_kind, j.incarnation, p.next_offset, p.end_offset,
  case when p.end_offset is not null then greatest(p.end_offset - p.next_offset, 0) end as lag, p.state, p.heartbeat_at, p.fold_version
from projection.position p join projection.job_log j on j.log_id = p.log_id;
comment on view coordinator.log_position is 'How far each log has been folded; a lag of null is unknown, not zero.';
