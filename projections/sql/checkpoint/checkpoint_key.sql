-- The keys of a task's checkpoints in all logs of the job that a coordinator log belongs to.
create function projection.checkpoint_key(log_id integer, task_name text)
returns table (log_id integer, key_id integer, stream_kind text, incarnation integer)
language sql stable parallel safe as $$
  select k.log_id, k.key_id, j.stream_kind, j.incarnation
  from projection.job_log own
  join projection.job_log j on j.job_suffix = own.job_suffix and (j.stream_kind = 'checkpoint' or j.log_id = own.log_id)
  join projection.event_key k on k.log_id = j.log_id
    and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other
    and left(k.message_key, 100) = left($2, 100) and k.message_key = $2
  where own.log_id = $1
$$;
