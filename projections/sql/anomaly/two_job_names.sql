-- Every event of a config key in a log, with the value before it (previous_value; null = none) and the last one that was ever set
-- (earlier_value).
create function projection.config_event(log_id integer, config_key text)
returns table (config_value text, previous_value text, earlier_value text, earlier_offset bigint,
               record_time timestamptz, message_time timestamptz, source text, host text, username text, log_offset bigint)
language sql stable parallel safe as $$
  select e.body ->> 'config_value', b.previous_value, b.earlier_value, b.earlier_offset, e.record_time, e.message_time, e.source, e.host, e.username, e.log_offset
  from projection.event_key k
  join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
  cross join lateral (
    select (array_agg(m.body ->> 'config_value' order by m.log_offset desc))[1],
      (array_agg(m.body ->> 'config_value' order by m.log_offset desc) filter (where m.body is not null))[1], max(m.log_offset) filter (where m.body is not null)
    from projection.event_key s
    cross join lateral (
      (select x.body, x.log_offset from projection.message_event x
       where x.log_id = s.log_id and x.key_id = s.key_id and x.log_offset < e.log_offset order by x.log_offset desc limit 1)
      union all
      (select x.body, x.log_offset from projection.message_event x
       where x.log_id = s.log_id and x.key_id = s.key_id and x.log_offset < e.log_offset and x.body is not null order by x.log_offset desc limit 1)) m
    where s.log_id = k.log_id and s.message_type = 'set-config' and not s.is_other and left(s.message_key, 100) = $2) b(previous_value, earlier_value, earlier_offset)
  where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and left(k.message_key, 100) = $2
$$;

-- Coordinator streams on which job.name or job.id changed.
create view projection.anomaly_two_job_names as
select j.job_name, j.job_id, j.job_bucket, 'two_job_names' as anomaly, n.config_key as subject,
  format('%s on %s was %s (log offset %s) and is now %s: two jobs share the topic, in whose name _ is written as -, and overwrite each other''s config, checkpoints and assignments.',
         n.config_key, j.stream_name, t.earlier_value, t.earlier_offset, t.config_value) as detail,
  t.record_time, t.message_time, t.source, t.host, t.username, j.stream_kind, j.incarnation, t.log_offset
from projection.job_log j
cross join (values ('job.name'), ('job.id')) n(config_key)
cross join lateral projection.config_event(j.log_id, n.config_key) t
where j.stream_kind = 'coordinator' and t.config_value <> t.earlier_value;
