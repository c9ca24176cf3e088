-- Needs: *
-- The relations as of a time and as of a log offset: two functions per relation, which call its `_at` function with the cuts of the
-- job's logs; and a third one of all jobs of a receipt (see as_read.sql). startpoint, startpoint_history and starting_offset also depend on the time at which expiry is judged: their functions are
-- in the files of these relations.
do $do$
declare
  relation record;
begin
  for relation in
    select v.name,
      string_agg(case when a.attname in ('job_name', 'job_id', 'job_bucket') then 'j.' || a.attname
                      when a.attname in ('stream_kind', 'incarnation') then 'l.' || a.attname
                      when a.attname = 'origin' then $$case l.stream_kind when 'checkpoint' then 'checkpoint-topic' else 'coordinator-stream' end$$
                      else 'r.' || a.attname end, ', ' order by a.attnum) as columns,
      'j.coordinator_log, j.coordinator_cut' || case when v.is_of_both_logs then ', j.checkpoint_log, j.checkpoint_cut' else '' end as cuts,
      case when v.is_of_both_logs then 'j.coordinator_log is not null or j.checkpoint_log is not null' else 'j.coordinator_log is not null' end as has_log,
      case when v.is_of_both_logs then '$4' else 'coalesce($4, ''coordinator'')' end as stream_kind,
      case when v.is_of_both_logs then 'the log that the job''s checkpoints are read from' else 'the coordinator stream' end as default_log
    from (
      select m.name, false from projection.message_table m where m.name not in ('other_message', 'pending_startpoint')
      union all values ('checkpoint', true), ('state_checkpoint', true), ('state_lag', true)
    ) v(name, is_of_both_logs)
    join pg_attribute a on a.attrelid = format('coordinator.%I', v.name)::regclass and a.attnum > 0
    group by v.name, v.is_of_both_logs
  loop
    execute format($template$
      create function coordinator.%1$s_as_of(job_name text, job_id text, at timestamptz)
      returns setof coordinator.%1$s language sql stable parallel safe as $$
        select %2$s
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.%1$s_at(%3$s, null) r
        join projection.job_log l on l.log_id = r.log_id
        where %4$s
      $$;
      create function coordinator.%1$s_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text default null, incarnation integer default null)
      returns setof coordinator.%1$s language sql stable parallel safe as $$
        select %2$s
        from projection.job_at_offset($1, $2, $3, %5$s, $5) j
        cross join lateral projection.%1$s_at(%3$s, null) r
        join projection.job_log l on l.log_id = r.log_id
        where %4$s
      $$;
      create function projection.%1$s_as_read(log_ids integer[], next_offsets bigint[], at timestamptz)
      returns setof coordinator.%1$s language sql stable parallel safe as $$
        select %2$s
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.%1$s_at(%3$s, null) r
        join projection.job_log l on l.log_id = r.log_id
        where %4$s
      $$;
      comment on function coordinator.%1$s_as_of is 'coordinator.%1$s at a time: the state after all events whose log_time is not later.';
      comment on function coordinator.%1$s_as_of_offset is %6$L;
      $template$,
      relation.name, relation.columns, relation.cuts, relation.has_log, relation.stream_kind,
      format('coordinator.%s after the event at log_offset (inclusive), an offset of %s unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.',
             relation.name, relation.default_log));
  end loop;
end $do$;
