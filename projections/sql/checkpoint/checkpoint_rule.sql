-- What a job's config says about reading checkpoints (one row): versions in order, how much newer a lower one must be,
-- the grouper (null = config unknown) and the stores' changelogs as `system.stream`, with their store names.
create function projection.checkpoint_rule(log_id integer, cut bigint)
returns table (versions integer[], max_age interval, grouper_factory text, changelogs text[], store_names text[])
language sql stable parallel safe as $$
  select
    case when c.versions ~ '^\s*[0-9]{1,4}\s*(,\s*[0-9]{1,4}\s*)*$' then string_to_array(regexp_replace(c.versions, '\s', '', 'g'), ',')::integer[]
         else '{1}'::integer[] end,
    case when c.max_age ~ '^[0-9]{1,15}$' then c.max_age::bigint * interval '1 millisecond' else interval '10 minutes' end,
    case when $2 is null and exists (
           select from projection.event_key k join projection.message_current m on m.log_id = k.log_id and m.key_id = k.key_id
           where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other)
           or $2 is not null and exists (
           select from projection.event_key k
           cross join lateral (
             select e.body from projection.message_event e
             where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= $2
             order by e.log_offset desc limit 1) h
           where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and h.body is not null)
         then coalesce(c.grouper_factory, 'org.apache.samza.container.grouper.stream.GroupByPartitionFactory') end,
    s.changelogs, s.store_names
  from (
    select max(m.body ->> 'config_value') filter (where m.message_key = 'task.checkpoint.read.versions') as versions,
           max(m.body ->> 'config_value') filter (where m.message_key = 'task.live.checkpoint.max.age') as max_age,
           max(m.body ->> 'config_value') filter (where m.message_key = 'job.systemstreampartition.grouper.factory') as grouper_factory,
           coalesce(max(m.body ->> 'config_value') filter (where m.message_key = 'job.changelog.system'),
                    max(m.body ->> 'config_value') filter (where m.message_key = 'job.default.system')) as changelog_system
    from projection.message_head($1, $2, 'set-config') m
    where left(m.message_key, 100) in ('task.checkpoint.read.versions', 'task.live.checkpoint.max.age',
                            'job.systemstreampartition.grouper.factory', 'job.changelog.system', 'job.default.system')) c
  cross join lateral (
    select array_agg(case when position('.' in v.changelog) > 0 then v.changelog else coalesce(c.changelog_system, '') || '.' || v.changelog end
                     order by v.store_name) as changelogs,
           array_agg(v.store_name order by v.store_name) as store_names
    from (select substr(m.message_key, 8, length(m.message_key) - 17) as store_name, m.body ->> 'config_value' as changelog
          from projection.message_head($1, $2, 'set-config') m
          where left(m.message_key, 100) like 'stores.%' and m.message_key like 'stores.%_.changelog') v) s
$$;
