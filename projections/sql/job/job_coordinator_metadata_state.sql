-- What the last job coordinator of every cluster type was started with.
create function projection.job_coordinator_metadata_state(log_id integer, incarnation integer, cut bigint)
returns table (cluster_type text, epoch_id text, config_id text, job_model_id text,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select m.message_key, m.body ->> 'epoch_id', m.body ->> 'config_id', m.body ->> 'job_model_id',
    m.record_time, m.message_time, m.source, m.host, m.username, 'coordinator', $2, m.log_offset
  from projection.message_head($1, $3, 'set-job-coordinator-metadata') m
$$;
