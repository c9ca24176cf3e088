-- Requested startpoints that nobody has taken yet. A key that can be read in several ways (`k.s.1.2`) is settled by the
-- known assignments of tasks to partitions, else it is ambiguous.
create function projection.startpoint_request(log_id integer, cut bigint)
returns table (key_id integer, system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text,
               startpoint_type text, startpoint_value text, created_ms bigint, is_ambiguous boolean,
               record_time timestamptz, log_offset bigint)
language sql stable parallel safe as $$
  select m.key_id, r.system_name, r.stream_name, r.partition_id, -1, r.task_name,
    m.body ->> 'startpoint_type', m.body ->> 'startpoint_value', (m.body ->> 'created_ms')::bigint,
    r.readings > 1 and r.known_readings <> 1, m.record_time, m.log_offset
  from projection.message_head($1, $2, 'samza-startpoint-v1') m
  cross join lateral (
    select k.*, count(*) filter (where k.is_known) over () as known_readings, row_number() over (order by k.is_known desc, k.n) as place
    from (
      select s.*, case when s.readings > 1 then exists (
          select from projection.task_partition_state($1, null, $2) t
          where t.system_name = s.system_name and t.stream_name = s.stream_name and t.partition_id = s.partition_id
            and (s.task_name is null or t.task_name = s.task_name)) else true end as is_known
      from (select p.*, count(*) over () as readings from projection.startpoint_reading p where p.log_id = $1 and p.key_id = m.key_id) s) k) r
  where r.place = 1
$$;
