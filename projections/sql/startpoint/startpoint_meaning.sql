-- What a startpoint's key says. One that can be read in several ways (`k.s.1.2`) is settled by what the tasks are known to read
-- now (cuts null) or read at an offset of both logs, else it is ambiguous.
create function projection.startpoint_meaning(log_id integer, key_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint)
returns table (system_name text, stream_name text, partition_id integer, task_name text, is_ambiguous boolean)
language sql stable parallel safe as $$
  select r.system_name, r.stream_name, r.partition_id, r.task_name, r.readings > 1 and r.known_readings <> 1
  from (
    select k.*, count(*) filter (where k.is_known) over () as known_readings, row_number() over (order by k.is_known desc, k.n) as place
    from (
      select s.*, case when s.readings > 1
          then projection.is_read($1, $3, $4, $5, s.system_name, s.stream_name, s.partition_id, s.task_name) else true end as is_known
      from (select p.*, count(*) over () as readings from projection.startpoint_reading p where p.log_id = $1 and p.key_id = $2) s) k) r
  where r.place = 1
$$;
