-- The config keys that decide which task reads which partition, with Samza's defaults. They can be set only once, as can the changelogs
-- of stores. managers.config.job_config.DEFAULTS has the same list.
create function projection.write_once_default() returns table (config_key text, config_value text) language sql immutable parallel safe as $$
  values ('job.elasticity.factor', '1'),
         ('job.system.stream.partition.mapper.factory', 'org.apache.samza.container.grouper.stream.HashSystemStreamPartitionMapperFactory'),
         ('job.systemstreampartition.grouper.factory', 'org.apache.samza.container.grouper.stream.GroupByPartitionFactory'),
         ('task.name.grouper.factory', 'org.apache.samza.container.grouper.task.GroupByContainerCountFactory')
$$;

-- Events after which a job groups its partitions or tasks differently (the keys of write_once_default), whoever wrote them. A key
-- that was not set had its default, unless the job was not deployed yet: a deployment writes its keys one by one, and what its
-- writer sets within a minute of job.name is part of it.
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
        and not coalesce(projection.time_between(n.record_time, t.record_time) < interval '1 minute'
                         and (n.source, n.host, n.username) is not distinct from (t.source, t.host, t.username), false)))
$$;

-- Events after which a store has another changelog than before, or none, whoever wrote them. The system can come from
-- job.changelog.system or job.default.system: what counts is the value after a minute without another event of the same writer (or a
-- tombstone), since a deployment writes its keys one by one. Removing all settings of a store is allowed.
create function projection.changelog_moved(log_id integer)
returns table (config_key text, earlier_value text, config_value text, earlier_offset bigint, log_offset bigint,
               record_time timestamptz, message_time timestamptz, source text, host text, username text)
language sql stable parallel safe as $$
  with changelog as (
    select t.*, nullif(projection.trimmed(t.previous_body ->> 'config_value'), '') as earlier_name, nullif(projection.trimmed(t.body ->> 'config_value'), '') as name
    from projection.message_change($1, 'set-config', message_key => null) t
    where t.message_key like 'stores.%_.changelog'
  ), setting as (
    select s.* from (values ('job.changelog.system'), ('job.default.system')) n(config_key)
    cross join lateral projection.message_change($1, 'set-config', n.config_key) s
  ), system as (
    select y.*, lag(y.name) over (order by y.log_offset) as earlier_name
    from (
      select s.log_offset, s.record_time, s.message_time, s.source, s.host, s.username,
        (select coalesce(max(c.body ->> 'config_value') filter (where c.message_key = 'job.changelog.system'),
                         max(c.body ->> 'config_value') filter (where c.message_key = 'job.default.system'))
         from setting c where c.log_offset <= s.log_offset and coalesce(c.next_offset > s.log_offset, true)) as name,
        projection.time_between(s.record_time, lead(s.record_time) over w) < interval '1 minute'
          and (lead(s.body) over w is null
               or (lead(s.source) over w, lead(s.host) over w, lead(s.username) over w) is not distinct from (s.source, s.host, s.username)) as is_passing
      from setting s
      window w as (order by s.log_offset)) y
    where y.is_passing is not true
  )
  select t.message_key, e.name, n.name, t.previous_offset, t.log_offset, t.record_time, t.message_time, t.source, t.host, t.username
  from changelog t
  left join lateral (select s.name from system s where s.log_offset < t.log_offset order by s.log_offset desc limit 1) s on true
  cross join lateral (select projection.changelog_name(t.earlier_name, s.name)) e(name)
  cross join lateral (select projection.changelog_name(t.name, s.name)) n(name)
  where e.name <> coalesce(n.name, '')
    and (n.name is not null or exists (            -- the store has another setting after the deployment
      select from projection.event_key k
      cross join lateral (
        select x.body from projection.message_event x
        where x.log_id = k.log_id and x.key_id = k.key_id
          and (x.log_offset <= t.log_offset or projection.time_between(t.record_time, x.record_time) < interval '1 minute')
        order by x.log_offset desc limit 1) h
      where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and left(k.message_key, 100) like 'stores.%'
        and starts_with(k.message_key, left(t.message_key, -length('changelog'))) and k.message_key <> t.message_key and h.body is not null))
  union all
  select t.message_key, e.name, n.name, t.log_offset, s.log_offset, s.record_time, s.message_time, s.source, s.host, s.username
  from system s
  join changelog t on t.log_offset < s.log_offset and coalesce(t.next_offset > s.log_offset, true)
  cross join lateral (select projection.changelog_name(t.name, s.earlier_name)) e(name)
  cross join lateral (select projection.changelog_name(t.name, s.name)) n(name)
  where s.earlier_name is not null and e.name <> n.name
$$;

-- Settings that can be set only once, but were changed.
create view projection.anomaly_write_once_changed as
select j.job_name, j.job_id, j.job_bucket, 'write_once_changed' as anomaly, c.config_key as subject,
  format('%s was %s%s and is now %s, set by %s: %s. Set it back, or give the job a new job.id.',
         c.config_key, c.earlier_value,
         case when c.earlier_offset is null then ' (the default)' else format(' (log offset %s)', c.earlier_offset) end,
         coalesce(c.config_value, 'not set'),
         case when c.source is null and c.host is null and c.username is null then 'an unknown writer'
              else format('%s on host %s as user %s', coalesce(c.source, 'an unknown source'), coalesce(c.host, 'unknown'), coalesce(c.username, 'unknown')) end,
         case when c.is_changelog then 'the next start restores the store from another changelog, without its current state'
              else 'the next start groups partitions and tasks differently, so that checkpoints and state may belong to other tasks' end) as detail,
  c.record_time, c.message_time, c.source, c.host, c.username, j.stream_kind, j.incarnation, c.log_offset
from projection.job_log j
cross join lateral (
  select g.*, false as is_changelog from projection.grouping_changed(j.log_id) g
  union all
  select m.*, true from projection.changelog_moved(j.log_id) m) c
where j.stream_kind = 'coordinator';
