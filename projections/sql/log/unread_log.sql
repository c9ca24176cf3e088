-- Logs that Postgres keeps and no follower has ever read, so that they have no position.
create view projection.unread_log as
select l.stream_name, l.stream_kind, l.incarnation, h.next_offset as end_offset
from eventlog.log l join eventlog.log_head h using (log_id)
where l.backend = 'postgres'
  and not exists (select from projection.job_log j where j.stream_name = l.stream_name)
  and not exists (select from projection.refused_stream r where r.stream_name = l.stream_name);
