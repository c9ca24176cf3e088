-- A job's logs, one cut at an offset (inclusive), the other at that event's log_time.
-- stream_kind null: the checkpoint topic if the job has one, else the coordinator stream.
-- Raises below the retained horizon of the log that the offset belongs to, and of the other where its cut is asked for
-- (offset 0 keeps that from being worked out again for every key).
create function projection.job_at_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer)
returns table (job_name text, job_id text, job_bucket integer,
               coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint,
               checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint)
language sql stable parallel safe as $$
  select o.job_name, o.job_id, o.job_bucket,
    case o.stream_kind when 'coordinator' then o.log_id else x.log_id end,
    case o.stream_kind when 'coordinator' then o.incarnation else x.incarnation end,
    g.coordinator_cut,
    case o.stream_kind when 'checkpoint' then o.log_id else x.log_id end,
    case o.stream_kind when 'checkpoint' then o.incarnation else x.incarnation end,
    g.checkpoint_cut
  from projection.job_log o
  cross join lateral projection.log_time_at(o.log_id, $3) t
  left join lateral (
    select l.log_id, l.incarnation, c.cut from projection.job_log l cross join lateral projection.log_cut(l.log_id, t.at) c
    where l.job_suffix = o.job_suffix and l.stream_kind <> o.stream_kind and l.is_complete and c.cut >= 0
    order by l.incarnation desc limit 1) x on true
  cross join lateral (
    select case o.stream_kind when 'coordinator' then $3 else projection.retained_cut(x.log_id, x.cut) end as coordinator_cut,
           case o.stream_kind when 'checkpoint' then $3 else projection.retained_cut(x.log_id, x.cut) end as checkpoint_cut
    offset 0) g
  where o.job_name = $1 and o.job_id = $2
    and (o.incarnation = $5 or $5 is null and o.is_current)
    and o.stream_kind = coalesce($4, (select min(i.stream_kind) from projection.job_log i where i.job_name = $1 and i.job_id = $2 and i.is_current))
    and projection.retained_cut(o.log_id, $3) is not null
$$;
