-- The rows of projection.changelog_mapping as of an offset (cut null = the log's end), of some keys (null = all).
create function projection.changelog_mapping_at(log_id integer, cut bigint, keys integer[]) returns setof projection.changelog_mapping language sql stable parallel safe as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, (m.body ->> 'changelog_partition')::integer, m.message_key, m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-changelog', $3) m
$$;

create view coordinator.changelog_mapping as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.changelog_partition,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.changelog_mapping r on r.log_id = j.log_id
where j.is_current;
comment on view coordinator.changelog_mapping is E'The changelog partition to which each task writes the changes of its stores. It must not change as long as the stores exist.\nKey: job_name, job_id, task_name.';
comment on column coordinator.changelog_mapping.changelog_partition is 'The partition number, the same in every changelog of the job.';

create view coordinator.changelog_mapping_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as task_name, (m.body ->> 'changelog_partition')::integer as changelog_partition, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-changelog';
comment on view coordinator.changelog_mapping_history is E'Every event that assigned a changelog partition to a task or deleted the assignment.\nKey: job_name, job_id, stream_kind, incarnation, log_offset, task_name.';
comment on column coordinator.changelog_mapping_history.changelog_partition is 'The partition number, the same in every changelog of the job. Null: the event deletes the assignment.';
