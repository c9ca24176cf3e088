-- The stream that a stream id stands for. system_name null: config does not say.
create function projection.stream_of_id(config jsonb, stream_id text) returns table (system_name text, stream_name text)
language sql immutable parallel safe as $$
  select coalesce($1 ->> ('streams.' || $2 || '.samza.system'), $1 ->> 'job.default.system'),
    coalesce($1 ->> ('streams.' || $2 || '.samza.physical.name'), $2)
$$;

-- The streams that a job's config names as inputs. A stream id without a system is none.
create function projection.job_input(config jsonb) returns table (system_name text, stream_name text) language sql stable parallel safe as $$
  select distinct s.system_name, s.stream_name
  from (
    select projection.trimmed(regexp_replace(n.name, '#.*$', '')) as name
    from regexp_split_to_table(coalesce($1 ->> 'task.inputs', '') || ',' || regexp_replace(coalesce($1 ->> 'task.broadcast.inputs', ''), '#\[[^]]*\]', '', 'g'), ',') n(name)) i
  cross join lateral (
    select split_part(i.name, '.', 1), substr(i.name, position('.' in i.name) + 1) where i.name like '%.%'
    union all
    select d.system_name, d.stream_name from projection.stream_of_id($1, i.name) d where i.name not like '%.%') s(system_name, stream_name)
  where i.name <> '' and s.system_name is not null
$$;

-- Whether a stream is an input of a job. If config does not name the inputs, every stream is.
create function projection.is_input(config jsonb, system_name text, stream_name text) returns boolean language sql stable parallel safe as $$
  select not $1 ?| array['task.inputs', 'task.broadcast.inputs']
    or exists (select from projection.job_input($1) i where i.system_name = $2 and i.stream_name = $3)
$$;
