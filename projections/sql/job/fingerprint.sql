-- Two sums of hashes of 64 bits: equal for equal rows in any order, without sorting them. Each row is made text once (`offset 0`),
-- and its hash is that of Postgres, which costs a third of SHA-256 and is the same in all versions on machines of one byte order.
create function coordinator.fingerprint(job_name text, job_id text)
returns table (relation text, row_count bigint, fingerprint text)
language plpgsql stable parallel safe set timezone = 'UTC' set datestyle = 'ISO' set extra_float_digits = 1 as $$
declare
  compared record;
begin
  if not exists (select from projection.job_log j where j.job_name = $1 and j.job_id = $2) then
    raise no_data_found using message = format('No job "%s" with id "%s".', $1, $2),
      hint = 'Job names and ids are listed in coordinator.job.';
  end if;
  for compared in
    select c.relname, bool_or(a.attname = 'status') as has_status,
      string_agg(format('r.%I', a.attname), ', ' order by a.attnum) filter (where a.attname not in ('incarnation', 'is_expired')) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'coordinator'::regnamespace and c.relkind = 'v' and c.relname not in ('input_bound', 'log_position', 'starting_offset', 'task_lag')
    group by c.relname
    having bool_or(a.attname = 'job_bucket') -- a view of a user may be here too
    order by c.relname
  loop
    relation := compared.relname;
    execute format($query$
      select count(*), left(encode(sha256(convert_to(
        concat_ws(' ', count(*), sum(hashtextextended(t.line, 0)), sum(hashtextextended(t.line, 1))), 'UTF8')), 'hex'), 32)
      from coordinator.%I r
      cross join lateral (select row(%s)::text offset 0) t (line)
      where r.job_name = $1 and r.job_id = $2 %s
    $query$, compared.relname, compared.columns, case when compared.has_status then $q$and r.status is distinct from 'expired'$q$ end)
    into row_count, fingerprint using $1, $2;
    return next;
  end loop;
end
$$;
comment on function coordinator.fingerprint is 'The number of rows of a job in each relation, and a fingerprint of them: 32 hexadecimal digits that are equal for equal rows, whether these were followed, imported or rebuilt, in this database or another. Compare it with that of another database, or with an earlier one. What depends on the clock or on the follower is left out: the relations input_bound, log_position, starting_offset and task_lag, the column is_expired, the status expired of startpoint_history, and the number of the incarnation. Secrets count with their masked values, which differ between installations with different masking keys. Compare only fingerprints of the same version of coordstream. Reads every row of the job; raises for an unknown job.';
