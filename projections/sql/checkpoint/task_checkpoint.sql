-- The keys of a task's checkpoints in all logs of the job that a coordinator log belongs to.
create function projection.checkpoint_key(log_id integer, task_name text)
returns table (log_id integer, key_id integer, stream_kind text, incarnation integer)
language sql stable parallel safe as $$
  select k.log_id, k.key_id, j.stream_kind, j.incarnation
  from projection.job_log own
  join projection.job_log j on j.job_suffix = own.job_suffix and (j.stream_kind = 'checkpoint' or j.log_id = own.log_id)
  join projection.event_key k on k.log_id = j.log_id
    and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other
    and left(k.message_key, 100) = left($2, 100) and k.message_key = $2
  where own.log_id = $1
$$;

-- The keys of a log that are a checkpoint's key in any spelling (white space, order of fields): nearly always that key alone.
create function projection.same_checkpoint_key(log_id integer, key_id integer)
returns table (key_id integer) language sql stable parallel safe as $$
  select s.key_id
  from projection.event_key k
  join projection.event_key s on s.log_id = k.log_id and s.message_type = k.message_type and not s.is_other
    and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key
    and s.grouper_factory is not distinct from k.grouper_factory
  where k.log_id = $1 and k.key_id = $2
$$;

-- The checkpoint of a key before an event: the newest that lives of all spellings, else the newest delete.
create function projection.earlier_checkpoint(log_id integer, key_id integer, log_offset bigint)
returns setof projection.checkpoint_event language sql stable parallel safe as $$
  select e.*
  from projection.same_checkpoint_key($1, $2) k
  cross join lateral (
    select e.* from projection.checkpoint_event e
    where e.log_id = $1 and e.key_id = k.key_id and e.log_offset < $3
    order by e.log_offset desc limit 1) e
  order by e.layout_id is null, e.log_offset desc limit 1
$$;

-- The newest checkpoint that a task had written by a time, and in its coordinator log before an offset (null = by that time, too).
-- Record times decide, since a container writes both logs by one clock. The search begins at least ten minutes of log_time
-- later, because log_time also follows the clocks of other containers.
create function projection.checkpoint_by(log_id integer, task_name text, at timestamptz, log_offset bigint)
returns setof projection.checkpoint_event language sql stable parallel safe as $$
  select n.*
  from projection.checkpoint_key($1, $2) k
  cross join lateral (
    select case when k.log_id = $1 and $4 is not null then $4 - 1 else (select s.bound from projection.log_bound(k.log_id, $3) s) end) c(cut)
  cross join lateral (
    select e.* from projection.checkpoint_event e
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= c.cut and (e.record_time <= $3 or k.log_id = $1 and $4 is not null)
    order by e.log_offset desc limit 1) n
  order by n.record_time desc nulls last, n.log_offset desc limit 1
$$;

-- The newest checkpoint that a task had written before an event of its coordinator log, with the checkpoint before it under the same
-- key. A key that was not written before has the one by an earlier time instead: the writer's versions or its grouper have changed.
create function projection.checkpoint_before(log_id integer, task_name text, at timestamptz, log_offset bigint, earlier_at timestamptz)
returns table (log_id integer, layout_id bigint, offsets text, offsets_odd text[], record_time timestamptz, log_offset bigint,
               earlier_log_id integer, earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[], earlier_time timestamptz, earlier_log_offset bigint)
language sql stable parallel safe as $$
  select n.log_id, n.layout_id, n.offsets, n.offsets_odd, n.record_time, n.log_offset,
    b.log_id, b.layout_id, b.offsets, b.offsets_odd, b.record_time, b.log_offset
  from projection.checkpoint_by($1, $2, $3, $4) n
  left join lateral projection.earlier_checkpoint(n.log_id, n.key_id, n.log_offset) o on true
  left join lateral (
    select o.*
    union all
    select f.* from projection.checkpoint_by($1, $2, $5, null) f where o.log_id is null and n.record_time > $5) b on b.log_id is not null
$$;

-- The offset of one input partition in a checkpoint row, of whichever key bucket the task reads, because fan-outs do not name it; null if the
-- checkpoint does not have the partition.
create function projection.partition_offset(log_id integer, layout_id bigint, offsets text, offsets_odd text[],
                                            system_name text, stream_name text, partition_id integer)
returns text language sql stable parallel safe as $$
  select projection.offset_of($3, $4, l.n) from projection.layout_entry l
  where l.log_id = $1 and l.layout_id = $2 and not l.is_state
    and l.system_name = $5 and l.stream_name = $6 and l.partition_id = $7
  order by l.key_bucket limit 1
$$;

-- The same of each partition of a checkpoint row.
create function projection.partition_offsets(log_id integer, layout_id bigint, offsets text, offsets_odd text[])
returns table (system_name text, stream_name text, partition_id integer, input_offset text) language sql stable parallel safe as $$
  select distinct on (o.system_name, o.stream_name, o.partition_id) o.system_name, o.stream_name, o.partition_id, o.value
  from (select l from projection.checkpoint_layout l where l.log_id = $1 and l.layout_id = $2 offset 0) y(layout)
  cross join lateral projection.opened_input(y.layout, $3, $4) o
  where not o.is_state
  order by o.system_name, o.stream_name, o.partition_id, o.key_bucket
$$;
