-- Each job with its current logs.
create view projection.current_job as
select j.job_name, j.job_id, j.job_bucket, j.job_suffix,
       max(j.log_id) filter (where j.stream_kind = 'coordinator') as coordinator_log,
       max(j.incarnation) filter (where j.stream_kind = 'coordinator') as coordinator_incarnation,
       max(j.log_id) filter (where j.stream_kind = 'checkpoint') as checkpoint_log,
       max(j.incarnation) filter (where j.stream_kind = 'checkpoint') as checkpoint_incarnation
from projection.job_log j
where j.is_current
group by j.job_name, j.job_id, j.job_bucket, j.job_suffix;

-- Of the logs of a job's stream, the one that is shown at a time, cut there: the newest incarnation that had begun by then. No row: none had.
create function projection.log_shown_at(job_suffix text, stream_kind text, at timestamptz)
returns table (log_id integer, incarnation integer, cut bigint) language sql stable parallel safe as $$
  select l.log_id, l.incarnation, (select c.cut from projection.log_cut(l.log_id, $3) c)
  from projection.job_log l cross join lateral projection.log_begins_at(l.log_id) b
  where l.job_suffix = $1 and l.stream_kind = $2 and l.is_complete and b.at <= $3
  order by l.incarnation desc limit 1
$$;

-- The logs of a job, each cut at a time: of each kind the newest incarnation that had begun by then; null = none had.
-- Raises if a log whose cut is used no longer has its events up to that time (see retained_cut).
create function projection.job_at(job_name text, job_id text, at timestamptz)
returns table (job_name text, job_id text, job_bucket integer,
               coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint,
               checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint)
language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, c.log_id, c.incarnation, c.cut, p.log_id, p.incarnation, p.cut
  from (select distinct l.job_name, l.job_id, l.job_bucket, l.job_suffix from projection.job_log l where l.job_name = $1 and l.job_id = $2) j
  left join lateral (
    select s.log_id, s.incarnation, projection.retained_cut(s.log_id, s.cut) as cut
    from projection.log_shown_at(j.job_suffix, 'coordinator', $3) s offset 0) c on true
  left join lateral (
    select s.log_id, s.incarnation, projection.retained_cut(s.log_id, s.cut) as cut
    from projection.log_shown_at(j.job_suffix, 'checkpoint', $3) s offset 0) p on true
$$;

-- The logs of a job, one cut at an offset (inclusive), the other at that event's log_time.
-- stream_kind null: the checkpoint topic if the job has one, else the coordinator stream.
-- Raises if the log of the offset, or the other one if its cut is used, no longer has its events up to there (see retained_cut;
-- `offset 0` prevents calling that again for every key).
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
  left join lateral projection.log_shown_at(o.job_suffix, case o.stream_kind when 'coordinator' then 'checkpoint' else 'coordinator' end, t.at) x on true
  cross join lateral (
    select case o.stream_kind when 'coordinator' then $3 else projection.retained_cut(x.log_id, x.cut) end as coordinator_cut,
           case o.stream_kind when 'checkpoint' then $3 else projection.retained_cut(x.log_id, x.cut) end as checkpoint_cut
    offset 0) g
  where o.job_name = $1 and o.job_id = $2
    and (o.incarnation = $5 or $5 is null and o.is_current)
    and o.stream_kind = coalesce($4, (select min(i.stream_kind collate "C") from projection.job_log i where i.job_name = $1 and i.job_id = $2 and i.is_current))
    and projection.retained_cut(o.log_id, $3) is not null
$$;

-- The checkpoint topic of a coordinator stream's job, cut at the log_time of an offset of that stream (null = now, without a cut); no row
-- if the job had none.
create function projection.checkpoint_log_at(log_id integer, cut bigint) returns table (log_id integer, cut bigint) language sql stable parallel safe as $$
  select l.log_id, case when $2 is not null then (select c.cut from projection.log_cut(l.log_id, t.at) c) end
  from projection.job_log o
  join projection.job_log l on l.job_suffix = o.job_suffix and l.stream_kind = 'checkpoint'
  left join lateral projection.log_time_at(o.log_id, $2) t on true
  left join lateral projection.log_begins_at(l.log_id) b on true
  where o.log_id = $1 and case when $2 is null then l.is_current else l.is_complete and b.at <= t.at end
  order by l.incarnation desc limit 1
$$;
