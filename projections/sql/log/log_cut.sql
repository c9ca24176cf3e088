-- Last offset of a log that is visible at a time (log_time never runs backward, so this is a cut); -1 = nothing yet.
-- One index probe of the sparse log_time, then a scan of at most one stretch of the archive.
create function projection.log_cut(log_id integer, at timestamptz) returns table (cut bigint) language sql stable parallel safe as $$
  select coalesce(
    (select coalesce(
        (select e.log_offset - 1 from projection.archived_event e
         where e.log_id = $1 and e.log_offset > s.log_offset and e.record_time > $2 and e.record_time <= e.archived_at + interval '1 hour'
         order by e.log_offset limit 1),
        9223372036854775807)
     from (select t.log_offset from projection.log_time t where t.log_id = $1 and t.log_time <= $2
           order by t.log_time desc, t.log_offset desc limit 1) s),
    -1)
$$;
