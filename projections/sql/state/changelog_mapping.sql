-- The relation coordinator.changelog_mapping of one log, now (cut null) or as of an offset.
create function projection.changelog_mapping_state(log_id integer, incarnation integer, cut bigint)
returns table (task_name text, changelog_partition integer,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, (m.body ->> 'changelog_partition')::integer,
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-changelog') m
$$;

create view coordinator.changelog_mapping as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.current_job j cross join lateral projection.changelog_mapping_state(j.coordinator_log, j.coordinator_incarnation, cut => null) r;
comment on view coordinator.changelog_mapping is E'The changelog partition to which each task writes the changes of its stores. It must not change as long as the stores exist.\nKey: job_name, job_id, task_name.';
comment on column coordinator.changelog_mapping.changelog_partition is 'The partition number, the same in every changelog of the job.';

create view coordinator.changelog_mapping_history as
select m.job_name, m.job_id, m.job_bucket, m.message_key as task_name, (m.body ->> 'changelog_partition')::integer as changelog_partition, m.operation,
  m.record_time, m.message_time, m.source, m.host, m.username, m.stream_kind, m.incarnation, m.log_offset
from projection.message_history m
where m.message_type = 'set-changelog';
comment on view coordinator.changelog_mapping_history is E'Every event that assigned a changelog partition to a task or deleted the assignment.\nKey: job_name, job_id, stream_kind, incarnation, log_offset.';
comment on column coordinator.changelog_mapping_history.changelog_partition is 'The partition number, the same in every changelog of the job. Null: the event deletes the assignment.';
