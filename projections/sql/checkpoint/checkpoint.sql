-- The relation coordinator.checkpoint of one job, now (cuts null) or as of an offset of both logs.
create function projection.checkpoint_state(coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint,
                                            checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
               input_offset text, input_offset_number bigint, checkpoint_id text, checkpoint_version integer, origin text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select w.task_name, l.system_name, l.stream_name, l.partition_id, l.key_bucket,
    x.input_offset, projection.offset_number(x.input_offset), w.checkpoint_id, w.checkpoint_version,
    case when $4 is null then 'coordinator-stream' else 'checkpoint-topic' end,
    w.record_time, e.message_time, e.source, e.host, e.username,
    case when $4 is null then 'coordinator' else 'checkpoint' end, case when $4 is null then $2 else $5 end, w.log_offset
  from projection.checkpoint_choice($1, $3, $4, $6) w
  join projection.checkpoint_layout l on l.log_id = w.log_id and l.layout_id = w.layout_id and not l.is_state
  cross join lateral (select projection.offset_of(w.offsets, w.offsets_odd, l.n)) x(input_offset)
  left join projection.checkpoint_envelope e on e.log_id = w.log_id and e.log_offset = w.log_offset
  where not projection.is_changelog(w.checkpoint_version, l.system_name, l.stream_name, w.changelogs)
$$;

create view coordinator.checkpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.current_job j
cross join lateral projection.checkpoint_state(j.coordinator_log, j.coordinator_incarnation, coordinator_cut => null,
  checkpoint_log => j.checkpoint_log, checkpoint_incarnation => j.checkpoint_incarnation, checkpoint_cut => null) r;
comment on view coordinator.checkpoint is E'The checkpoint that each task would start from: one row per input partition. It is read from the checkpoint topic if the job has one, else from the coordinator stream. The job''s config says which versions count, and in which order.\nKey: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';
comment on column coordinator.checkpoint.input_offset is 'The last processed offset, as the input system writes it: the task continues after it. Null: the checkpoint has the partition without an offset.';
comment on column coordinator.checkpoint.input_offset_number is 'input_offset as a number. Null: it is not an integer of at most 19 digits in the range of bigint.';
comment on column coordinator.checkpoint.checkpoint_id is 'Identifies the commit: a time in ms and a part that distinguishes commits of the same time. Null: versions 0 and 1 have it only if state was committed.';
