-- The streams that a job's config names as inputs. A stream id without a system is none.
create function projection.job_input(config jsonb) returns table (system_name text, stream_name text) language sql stable parallel safe as $$
  select distinct s.system_name, s.stream_name
  from (
    select btrim(regexp_replace(n.name, '#.*$', '')) as name
    from regexp_split_to_table(coalesce($1 ->> 'task.inputs', '') || ',' || regexp_replace(coalesce($1 ->> 'task.broadcast.inputs', ''), '#\[[^]]*\]', '', 'g'), ',') n(name)) i
  cross join lateral (select
    case when i.name like '%.%' then split_part(i.name, '.', 1)
         else coalesce($1 ->> ('streams.' || i.name || '.samza.system'), $1 ->> 'job.default.system') end,
    case when i.name like '%.%' then substr(i.name, position('.' in i.name) + 1)
         else coalesce($1 ->> ('streams.' || i.name || '.samza.physical.name'), i.name) end) s(system_name, stream_name)
  where i.name <> '' and s.system_name is not null
$$;

-- Whether a stream is an input of a job. If config does not name the inputs, every stream is.
create function projection.is_input(config jsonb, system_name text, stream_name text) returns boolean language sql stable parallel safe as $$
  select not $1 ?| array['task.inputs', 'task.broadcast.inputs']
    or exists (select from projection.job_input($1) i where i.system_name = $2 and i.stream_name = $3)
$$;
