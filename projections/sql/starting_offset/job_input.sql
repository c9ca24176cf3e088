-- The streams that a job's config names as inputs.
create function projection.job_input(config jsonb) returns table (system_name text, stream_name text) language sql stable parallel safe as $$
  select distinct
    case when i.name like '%.%' then split_part(i.name, '.', 1)
         else coalesce($1 ->> ('streams.' || i.name || '.samza.system'), $1 ->> 'job.default.system') end,
    case when i.name like '%.%' then substr(i.name, position('.' in i.name) + 1)
         else coalesce($1 ->> ('streams.' || i.name || '.samza.physical.name'), i.name) end
  from (
    select btrim(regexp_replace(n.name, '#.*$', '')) as name
    from regexp_split_to_table(coalesce($1 ->> 'task.inputs', '') || ',' || regexp_replace(coalesce($1 ->> 'task.broadcast.inputs', ''), '#\[[^]]*\]', '', 'g'), ',') n(name)) i
  where i.name <> ''
$$;
