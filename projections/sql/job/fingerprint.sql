-- Each row is hashed with a seed made of what the numbers of its log and key stand for: every database has its own numbers. The hash of
-- a record is hashed again: it is a linear combination of those of its columns, whose sum stays the same if two rows swap a value. Hashes are
-- those of Postgres, the same in all versions on machines of one byte order, and their sum needs no order of the rows.
create function coordinator.fingerprint(job_name text, job_id text)
returns table (relation text, row_count bigint, fingerprint text) language plpgsql stable parallel safe as $$
declare
  logs constant integer[] := array(select j.log_id from projection.job_log j where j.job_name = $1 and j.job_id = $2);
  stored record;
begin
  if logs = '{}' then
    raise no_data_found using message = format('No job "%s" with id "%s".', $1, $2),
      hint = 'Job names and ids are listed in coordinator.job.';
  end if;
  for stored in
    select c.relname, bool_or(a.attname = 'key_id') as has_key,
      string_agg(format('t.%I', a.attname), ', ' order by a.attname)
        filter (where a.attname not in ('log_id', 'key_id', 'incarnation', 'archived_at', 'key_sha256')) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'projection'::regnamespace and c.relname not in ('gap', 'position')
      and (c.relkind in ('r', 'p') and not c.relispartition or c.relname in ('archived_event', 'log_gap'))
    group by c.relname
    having bool_or(a.attname = 'log_id')
    order by c.relname
  loop
    relation := stored.relname;
    execute format($query$
      select count(*), left(encode(sha256(convert_to(concat_ws(' ', count(*), sum(hashint8extended(
        hash_record_extended(row(%s), hashtextextended(j.stream_kind, 0)%s), 0))), 'UTF8')), 'hex'), 32)
      from projection.%I t
      join projection.job_log j using (log_id) %s
      where t.log_id = any ($1)
    $query$, stored.columns,
      case when stored.has_key then '# coalesce(k.hash, 0)' end,
      stored.relname,
      case when stored.has_key then $join$left join (
        select k.log_id, k.key_id, hash_record_extended(row(k.key_sha256), 0) as hash
        from projection.event_key k where k.log_id = any ($1)) k using (log_id, key_id)$join$ end)
    into row_count, fingerprint using logs;
    return next;
  end loop;
end
$$;
comment on function coordinator.fingerprint is 'The number of rows of a job in each table of the schema projection, and in archived_event and log_gap there, with a fingerprint of them: 32 hexadecimal digits that are equal for equal rows, whether these were followed, imported or rebuilt, in this database or another. All relations are made of these rows: if a relation differs, so does one of the fingerprints. Compare it with that of another database, or with an earlier one. What depends on the clock, on the follower or on the database is left out: positions, the bytes of archived events and when they were archived, and the numbers of logs, incarnations and keys. Secrets count with their masked values, which differ between installations with different mask keys. Compare only fingerprints of the same version of coordstream. Reads every row once; raises for an unknown job.';
