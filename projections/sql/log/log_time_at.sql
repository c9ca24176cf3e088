-- log_time of the last event at or before an offset; no row before the log's first event.
create function projection.log_time_at(log_id integer, log_offset bigint) returns table (at timestamptz) language sql stable parallel safe as $$
  select greatest(s.log_time,
    (select max(e.record_time) from projection.archived_event e
     where e.log_id = $1 and e.log_offset > s.log_offset and e.log_offset <= $2 and e.record_time <= e.archived_at + interval '1 hour'))
  from (select t.log_time, t.log_offset from projection.log_time t where t.log_id = $1 and t.log_offset <= $2
        order by t.log_offset desc limit 1) s
$$;
