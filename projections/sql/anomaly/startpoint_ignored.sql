-- Startpoints that stayed in their task's fan-out although the task advanced: with the first checkpoint that advanced the partition and
-- the one after it. A task that starts from a startpoint removes it with the first of the two. After a retention: advanced beyond what the
-- task had at the horizon, since an earlier checkpoint may be gone.
create function projection.unconsumed_startpoint(log_id integer)
returns table (task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
               startpoint_type text, startpoint_value text, fan_out_offset bigint, earlier_offset text, input_offset text,
               moved_log_offset bigint, stream_kind text, incarnation integer, record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  with fanned_out as (
    select distinct on (h.log_offset, h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket)
      h.*, r.status, r.record_time as removed_time, r.log_offset as removed_offset
    from projection.startpoint_fanned_out($1, cut => null) h
    left join projection.startpoint_removed($1, cut => null) r
      on (r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.created_ms, r.startpoint_type)
       = (h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.created_ms, h.startpoint_type)
      and r.log_offset > h.log_offset
    order by h.log_offset, h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, r.log_offset
  )
  select distinct on (h.log_offset, h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket)
    h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.startpoint_type, h.startpoint_value, h.log_offset,
    o.input_offset, m.input_offset, m.log_offset, k.stream_kind, k.incarnation, a.record_time, a.log_offset
  from fanned_out h
  cross join lateral (select c.* from projection.checkpoint_key($1, h.task_name) c offset 0) k      -- by index, task by task
  cross join lateral projection.base_end(k.log_id) z
  left join lateral (
    select e.* from projection.checkpoint_event e
    where e.log_id = k.log_id and e.key_id = k.key_id
      and e.log_offset <= greatest(z.last_offset, case when k.log_id = $1 then h.log_offset - 1
                               else (select s.bound from projection.log_bound(k.log_id, h.record_time) s) end)
      and (k.log_id = $1 or e.record_time <= h.record_time or e.log_offset <= z.last_offset)
    order by e.log_offset desc limit 1) b on true
  cross join lateral (                                     -- `offset 0`: once, not for each checkpoint that it is compared with
    select projection.partition_offset(b.log_id, b.layout_id, b.offsets, b.offsets_odd, h.system_name, h.stream_name, h.partition_id) offset 0) o(input_offset)
  cross join lateral (
    select e.log_id, e.key_id, e.log_offset, x.input_offset from projection.checkpoint_event e
    cross join lateral (select projection.partition_offset(e.log_id, e.layout_id, e.offsets, e.offsets_odd, h.system_name, h.stream_name, h.partition_id)) x(input_offset)
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset > coalesce(b.log_offset, -1)
      and case when k.log_id = $1 then e.log_offset > h.log_offset else e.record_time > h.record_time end
      and projection.offset_number(x.input_offset) > coalesce(projection.offset_number(o.input_offset), -1)
    order by e.log_offset limit 1) m
  cross join lateral (
    select e.record_time, e.log_offset from projection.checkpoint_event e
    where e.log_id = m.log_id and e.key_id = m.key_id and e.log_offset > m.log_offset and e.layout_id is not null
    order by e.log_offset limit 1) a
  where coalesce(h.status in ('superseded', 'deleted'), true)                 -- of the others, no checkpoint is looked up
    and (h.status is null or case when k.log_id = $1 then a.log_offset < h.removed_offset else a.record_time < h.removed_time end)
  order by h.log_offset, h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, a.record_time, a.log_offset
$$;

-- Startpoints that were fanned out to a task and that it did not start from: refused, or never removed from the fan-out.
create view projection.anomaly_startpoint_ignored as
select j.job_name, j.job_id, j.job_bucket, 'startpoint_ignored' as anomaly,
  projection.partition_text(i.system_name, i.stream_name, i.partition_id, i.key_bucket) as subject,
  i.detail, i.record_time, null::timestamptz as message_time, null::text as source, null::text as host, null::text as username,
  i.stream_kind, i.incarnation, i.log_offset
from projection.job_log j
cross join lateral (
  select r.system_name, r.stream_name, r.partition_id, r.key_bucket,
    format('Startpoint %2$s was fanned out to task %1$s, but its next checkpoint continued from the old position, from %3$s (log offset %4$s) to %5$s (log offset %6$s): '
           'the startpoint could not be resolved and was ignored, or the task had read past the old position when it wrote the checkpoint.',
           r.task_name, concat_ws(' ', r.startpoint_type, r.startpoint_value), r.earlier_offset, r.earlier_log_offset, r.input_offset, r.checkpoint_log_offset),
    r.record_time, j.stream_kind, j.incarnation, r.log_offset
  from projection.startpoint_removed(j.log_id, cut => null) r where r.status = 'refused'
  union all
  select u.system_name, u.stream_name, u.partition_id, u.key_bucket,
    format('Startpoint %2$s was fanned out to task %1$s (log offset %3$s), but its checkpoints continued without it, from %4$s to %5$s (log offset %6$s): '
           'no container of the task has started since, or none reads its startpoints.',
           u.task_name, concat_ws(' ', u.startpoint_type, u.startpoint_value), u.fan_out_offset, coalesce(u.earlier_offset, 'nothing'), u.input_offset, u.moved_log_offset),
    u.record_time, u.stream_kind, u.incarnation, u.log_offset
  from projection.unconsumed_startpoint(j.log_id) u
) i(system_name, stream_name, partition_id, key_bucket, detail, record_time, stream_kind, incarnation, log_offset)
where j.stream_kind = 'coordinator';
