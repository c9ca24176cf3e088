-- Needs: *
-- The tables of current rows. `<table>_at` says from the histories what their rows are. Made here for each table: `<table>_state`, its
-- rows now (cuts null) or as of an offset; `<table>_now(log)`, the rows that it should have; and the functions that give it those rows of
-- some keys of a log. The tables of checkpoints have rows only in the log that a job's checkpoints are read from; both come from one
-- choice.
do $do$
declare
  -- Linear in the number of keys, whatever the planner expects: `except`, `offset 0`, and rows found by where they are.
  deleted constant text := $sql$gone_from_%1$s as (
          delete from projection.%1$s where ctid = any (array(
            select r.ctid from (
              (select %2$s from projection.%1$s o where keys is null and o.log_id = of_log
               union all
               select %2$s from unnest(keys) u(key)
               cross join lateral (select %2$s from projection.%1$s c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select %2$s from new_%1$s) g
            cross join lateral (select c.ctid from projection.%1$s c where c.log_id = of_log and %3$s offset 0) r))
        )$sql$;
  inserted constant text := $sql$insert into projection.%1$s as c %2$s
          on conflict (log_id, %3$s) do update set %4$s where c is distinct from excluded$sql$;
  opened constant text := $sql$(
            select w.log_id, w.key_id, w.log_offset, w.record_time, w.task_name, w.checkpoint_version, w.checkpoint_id, o.*
            from projection.%s w
            cross join lateral projection.chosen_offset(w.log_id, w.log_offset, w.checkpoint_version, w.layout_id, w.offsets, w.offsets_odd,
                                                        w.changelogs, w.store_names) o)$sql$;
  current record;
  branches text := '';
  rows text;
  next text := '';
  chosen text := '';
begin
  for current in
    select t.name, t.message_type, t.chosen,
      string_agg(format('%I', a.attname), ', ' order by a.attnum) filter (where a.attname in ('key_id', 'n')) as key,
      string_agg(format('c.%1$I = g.%1$I', a.attname), ' and ' order by a.attnum) filter (where a.attname in ('key_id', 'n')) as same,
      string_agg(format('%1$I = excluded.%1$I', a.attname), ', ' order by a.attnum) filter (where a.attname not in ('log_id', 'key_id', 'n')) as assignments
    from (
      select m.name, m.message_type, null from projection.message_table m
      union all values
      ('checkpoint', null, $sql$
        select o.log_offset, o.record_time, o.message_time, projection.offset_number(o.value), o.log_id, o.key_id, o.n,
          o.partition_id, o.key_bucket, o.checkpoint_version, o.task_name, o.system_name, o.stream_name, o.value, o.checkpoint_id,
          o.source, o.host, o.username
        from %s o where not o.is_state $sql$),
      ('state_checkpoint', null, $sql$
        select o.log_offset, o.record_time, o.message_time, o.log_id, o.key_id, o.n, o.partition_id, o.checkpoint_version, o.task_name,
          o.store_name, o.factory_name, o.marker_prefix || coalesce(o.value, '') || o.marker_suffix, o.system_name, o.stream_name,
          case when o.stream_name is not null then o.value end, o.checkpoint_id, o.source, o.host, o.username
        from %s o where o.is_state $sql$)
    ) t(name, message_type, chosen)
    join pg_attribute a on a.attrelid = format('projection.%I', t.name)::regclass and a.attnum > 0
    group by t.name, t.message_type, t.chosen
    order by t.name
  loop
    if current.chosen is null then
      execute format($template$
        create function projection.%1$s_state(log_id integer, cut bigint) returns setof projection.%1$s language sql stable parallel safe as $$
          select c.* from projection.%1$s c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.%1$s_at($1, $2, null) a where $2 is not null
        $$;
        create function projection.%1$s_now(log_id integer) returns setof projection.%1$s language sql stable parallel safe as $$
          select r.* from projection.%1$s_at($1, null, null) r
        $$;
        create function projection.keep_%1$s(of_log integer, keys integer[]) returns void language plpgsql as $$
        begin
          with new_%1$s as materialized (select * from projection.%1$s_at(of_log, null, keys)), %2$s
          %3$s;
        end $$;
      $template$, current.name, format(deleted, current.name, current.key, current.same), format(inserted, current.name, 'table new_' || current.name, current.key, current.assignments));
      branches := branches || format(' when %L then perform projection.keep_%s(of_log, touched.keys);', current.message_type, current.name);
    else
      rows := format(current.chosen, 'chosen');
      execute format($template$
        create function projection.%1$s_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[])
        returns setof projection.%1$s language sql stable parallel safe as $$ %2$s $$;
        create function projection.%1$s_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint)
        returns setof projection.%1$s language sql stable parallel safe as $$
          select c.* from projection.%1$s c where c.log_id = coalesce($3, $1) and projection.is_read_now($1, $2, $3, $4)
          union all
          select a.* from projection.%1$s_at($1, $2, $3, $4, null) a where not projection.is_read_now($1, $2, $3, $4)
        $$;
        create function projection.%1$s_now(log_id integer) returns setof projection.%1$s language sql stable parallel safe as $$
          select r.* from projection.read_log($1) l cross join lateral projection.%1$s_at(l.coordinator_log, null, l.checkpoint_log, null, null) r
        $$;
      $template$, current.name, format(current.chosen, format(opened, 'checkpoint_choice($1, $2, $3, $4, null, false)')));
      chosen := chosen || format($sql$,
        new_%1$s as materialized (%2$s), %3$s, kept_in_%1$s as (%4$s)$sql$,
        current.name, rows, format(deleted, current.name, current.key, current.same), format(inserted, current.name, 'table new_' || current.name, current.key, current.assignments));
      next := next || format(', kept_in_%s as (%s)', current.name, format(inserted, current.name, rows, current.key, current.assignments));
    end if;
  end loop;
  execute format($template$
    create function projection.keep_messages(of_log integer, of_keys integer[]) returns void language plpgsql as $$
    declare
      touched record;
    begin
      for touched in
        select coalesce(s.message_type, '') as message_type, array_agg(s.key_id) as keys from projection.spelling(of_log, of_keys) s group by 1
      loop
        case touched.message_type %1$s else null; end case;
      end loop;
    end $$;
    create function projection.keep_chosen(of_log integer, coordinator_log integer, checkpoint_log integer, keys integer[]) returns void
    language plpgsql as $$
    declare
      offsets bigint;                        -- a query must put its rows somewhere
    begin
      with chosen as materialized %2$s%3$s
      select count(*) into offsets from chosen;
    end $$;
    create function projection.keep_next(of_log integer, inout keys integer[]) language plpgsql as $$
    begin
      with chosen as materialized %4$s%5$s
      select array(select unnest(keys) except select key_id from chosen) into keys;
    end $$;
  $template$, branches, format(opened, 'checkpoint_choice(coordinator_log, null, checkpoint_log, null, keys, true)'), chosen,
    format(opened, 'next_checkpoint(of_log, keys)'), next);
end $do$;
