-- A cut, if the archive still has what the log said by then; else it raises. Partitions of the archive can be detached,
-- the sparse log_time stays: a log with a log_time at or below the cut must have an event there as well.
-- Called once a log and question, behind a LIMIT or as a filter, so that as-of functions are inlined all the same.
create function projection.retained_cut(log_id integer, cut bigint) returns bigint language plpgsql stable parallel safe as $$
declare
  known bigint := (select max(t.log_offset) from projection.log_time t where t.log_id = $1 and t.log_offset <= $2);
begin
  if known is null  -- nothing had been said by then
     or exists (select from projection.archived_event e where e.log_id = $1 and e.log_offset = known)
     or exists (select from projection.archived_event e where e.log_id = $1 and e.log_offset <= $2) then
    return $2;
  end if;
  raise exception using errcode = 'invalid_parameter_value', message = (
    select case when r.first_offset is null then format('nothing of %s is retained: what it said cannot be told', l.stream_name)
      else format('%s is retained from offset %s on, and what it said before is gone: ask about that offset or a later one, or a later time',
                  l.stream_name, r.first_offset) end
    from projection.job_log l
    cross join lateral (select min(e.log_offset) as first_offset from projection.archived_event e where e.log_id = l.log_id) r
    where l.log_id = $1);
end
$$;
