-- Requested startpoints by the input partition and the task (null = every task) that they name; an ambiguous one by all
-- that it may name. Fan-outs are not among them. Expiry is judged at a given time.
create function projection.startpoint_candidate(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamptz)
returns table (system_name text, stream_name text, partition_id integer, task_name text, startpoint_type text, startpoint_value text,
               created_ms bigint, is_expired boolean, is_ambiguous boolean, record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select n.system_name, n.stream_name, n.partition_id, n.task_name, r.startpoint_type, r.startpoint_value,
    r.created_ms, projection.is_expired(r.created_ms, $5), r.is_ambiguous, r.record_time, r.log_offset
  from projection.startpoint_request($1, $2, $3, $4) r
  cross join lateral (
    select r.system_name, r.stream_name, r.partition_id, r.task_name where not r.is_ambiguous
    union all
    select p.system_name, p.stream_name, p.partition_id, p.task_name from projection.startpoint_reading p
    where r.is_ambiguous and p.log_id = $1 and p.key_id = r.key_id) n
$$;
