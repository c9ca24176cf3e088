-- Events after which a store that had a changelog has another one, or none, by whichever writer. The system may come from
-- job.changelog.system or job.default.system: of these counts what one writer (or a tombstone) leaves behind after a minute, since
-- a deployment writes its keys one by one. A store may be removed as a whole.
create function projection.changelog_moved(log_id integer)
returns table (config_key text, earlier_value text, config_value text, earlier_offset bigint, log_offset bigint,
               record_time timestamptz, message_time timestamptz, source text, host text, username text)
language sql stable parallel safe as $$
  with changelog as (
    select t.*, nullif(btrim(t.previous_body ->> 'config_value'), '') as earlier_name, nullif(btrim(t.body ->> 'config_value'), '') as name
    from projection.message_change($1, 'set-config', null) t
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
        lead(s.record_time) over w - s.record_time < interval '1 minute'
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
    and (n.name is not null or exists (            -- another setting of the store outlives the deployment
      select from projection.event_key k
      cross join lateral (
        select x.body from projection.message_event x
        where x.log_id = k.log_id and x.key_id = k.key_id
          and (x.log_offset <= t.log_offset or x.record_time < t.record_time + interval '1 minute')
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
