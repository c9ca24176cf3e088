-- Whether something on the coordinator stream asked a task to leave its checkpoint of a partition behind, between two
-- checkpoints of it (record times): a startpoint that was in the task's fan-out, or reset.offset. A log's own, or its job's.
create function projection.was_rewind_asked_for(log_id integer, task_name text, system_name text, stream_name text, partition_id integer,
                                                after timestamptz, until timestamptz)
returns boolean language sql stable parallel safe as $$
  select exists (
    select from projection.job_log own
    join projection.job_log j on j.job_suffix = own.job_suffix and j.stream_kind = 'coordinator'
    where own.log_id = $1 and (exists (
      select from projection.event_key k
      join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
      left join lateral (
        select n.record_time from projection.message_event n
        where n.log_id = e.log_id and n.key_id = e.key_id and n.log_offset > e.log_offset
        order by n.log_offset limit 1) n on true
      where k.log_id = j.log_id and k.message_type = 'samza-startpoint-v1-fan-out' and not k.is_other
        and left(k.message_key, 100) = left($2, 100) and k.message_key = $2
        and e.record_time <= $7 + interval '1 minute' and coalesce(n.record_time >= $6, true)
        and e.body -> 'fan_outs' @> jsonb_build_array(jsonb_build_object('system_name', $3, 'stream_name', $4, 'partition_id', $5))
    ) or exists (
      select from (values ('systems.' || $3 || '.streams.' || $4 || '.samza.reset.offset'),
                          ('systems.' || $3 || '.default.stream.samza.reset.offset')) setting(config_key)
      join projection.event_key k on k.log_id = j.log_id and k.message_type = 'set-config' and not k.is_other
        and left(k.message_key, 100) = left(setting.config_key, 100) and k.message_key = setting.config_key
      cross join lateral (
        select e.body from projection.message_event e
        where e.log_id = k.log_id and e.key_id = k.key_id and e.record_time <= $7
        order by e.log_offset desc limit 1) e
      where lower(btrim(e.body ->> 'config_value')) = 'true'
    )))
$$;
