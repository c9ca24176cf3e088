-- Events after which a job groups its partitions or tasks in another way than before (the keys of write_once_default), by whichever
-- writer. A key that was not set had its default, unless the job was not deployed yet: a deployment writes its keys one by one,
-- and what one writer says within a minute of job.name belongs to it.
create function projection.grouping_changed(log_id integer)
returns table (config_key text, earlier_value text, config_value text, earlier_offset bigint, log_offset bigint,
               record_time timestamptz, message_time timestamptz, source text, host text, username text)
language sql stable parallel safe as $$
  select t.message_key, v.earlier_value, v.config_value, t.previous_offset, t.log_offset,
    t.record_time, t.message_time, t.source, t.host, t.username
  from projection.write_once_default() d
  cross join lateral projection.message_change($1, 'set-config', d.config_key) t
  cross join lateral (select coalesce(t.previous_body ->> 'config_value', d.config_value), coalesce(t.body ->> 'config_value', d.config_value)) v(earlier_value, config_value)
  where v.earlier_value <> v.config_value
    and (t.previous_body is not null or exists (
      select from projection.message_change($1, 'set-config', 'job.name') n
      where n.body is not null and n.log_offset < t.log_offset and coalesce(n.next_offset > t.log_offset, true)
        and not coalesce(t.record_time - n.record_time < interval '1 minute'
                         and (n.source, n.host, n.username) is not distinct from (t.source, t.host, t.username), false)))
$$;
