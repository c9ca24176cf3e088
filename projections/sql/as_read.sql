-- Needs: *
-- What a receipt of coordinator.spark_read names is read again: the logs of a read, each up to the first offset that it did not show. Expiry is
-- judged at the time of the receipt, and the config at its offsets says which checkpoints count. Raises as retained_cut does.
-- `distinct on`: the planner computes these rows first, before it joins their events, and does so only for the buckets that are asked for.
create function projection.receipt_log(log_ids integer[], next_offsets bigint[], at timestamptz)
returns table (log_id integer, job_name text, job_id text, job_bucket integer, job_suffix text, stream_kind text, incarnation integer,
               is_complete boolean, last_offset bigint, cut_at timestamptz)
language sql stable parallel safe as $$
  select distinct on (l.job_bucket, l.log_id) l.log_id, l.job_name, l.job_id, l.job_bucket, l.job_suffix, l.stream_kind, l.incarnation,
    l.is_complete, projection.retained_cut(l.log_id, e.next_offset - 1), $3
  from unnest($1, $2) e(log_id, next_offset) join projection.job_log l on l.log_id = e.log_id
$$;

-- The jobs of these logs as projection.job_at has them: of each kind the newest log that was read to its end.
create function projection.receipt_job(log_ids integer[], next_offsets bigint[], at timestamptz)
returns table (job_name text, job_id text, job_bucket integer, job_suffix text,
               coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint,
               checkpoint_log integer, checkpoint_cut bigint)
language sql stable parallel safe as $$
  select n.job_name, n.job_id, n.job_bucket, n.job_suffix,
    max(n.log_id) filter (where n.stream_kind = 'coordinator'), max(n.incarnation) filter (where n.stream_kind = 'coordinator'),
    max(n.last_offset) filter (where n.stream_kind = 'coordinator'),
    max(n.log_id) filter (where n.stream_kind = 'checkpoint'), max(n.last_offset) filter (where n.stream_kind = 'checkpoint')
  from (
    select distinct on (l.job_bucket, l.job_suffix, l.stream_kind) l.* from projection.receipt_log($1, $2, $3) l
    order by l.job_bucket, l.job_suffix, l.stream_kind, l.is_complete desc, l.incarnation desc) n
  group by n.job_name, n.job_id, n.job_bucket, n.job_suffix
$$;

-- What projection.job_log has of these logs, with the rule of checkpoints at their offsets.
create function projection.ruled_receipt_log(log_ids integer[], next_offsets bigint[], at timestamptz)
returns table (log_id integer, job_name text, job_id text, job_bucket integer, stream_kind text, incarnation integer, last_offset bigint,
               has_checkpoint_topic boolean, versions integer[], lower_version integer, max_age interval, grouper_factory text,
               changelogs text[], store_names text[])
language sql stable parallel safe as $$
  select distinct on (j.job_bucket, l.log_id) l.log_id, l.job_name, l.job_id, j.job_bucket, l.stream_kind, l.incarnation, l.last_offset,
    j.checkpoint_log is not null, r.versions, r.lower_version, r.max_age, r.grouper_factory, r.changelogs, r.store_names
  from projection.receipt_job($1, $2, $3) j
  cross join lateral projection.checkpoint_rule(j.coordinator_log, j.coordinator_cut) r
  join projection.receipt_log($1, $2, $3) l on l.job_suffix = j.job_suffix
$$;

-- The histories of checkpoints, whose views take the rule from projection.job_log: the same texts over the logs above.
do $do$
declare
  old_path constant text := current_setting('search_path');
  step record;
begin
  perform set_config('search_path', 'pg_catalog', true);  -- the texts then name each schema
  for step in
    select s.name, s.view_name, replace(rtrim(pg_get_viewdef(s.view_name::regclass), ';'), 'projection.' || s.made_of, 'projection.' || s.replaced_by) as query
    from (values
      (1, 'commit', 'projection.commit', 'job_log j', 'ruled_receipt_log($1, $2, $3) j'),
      (2, 'counted_commit', 'projection.counted_commit', 'commit c', 'commit_as_read($1, $2, $3) c'),
      (3, 'commit_history', 'coordinator.commit_history', 'counted_commit c', 'counted_commit_as_read($1, $2, $3) c'),
      (4, 'checkpoint_history', 'coordinator.checkpoint_history', 'counted_commit c', 'counted_commit_as_read($1, $2, $3) c'),
      (5, 'state_checkpoint_history', 'coordinator.state_checkpoint_history', 'counted_commit c', 'counted_commit_as_read($1, $2, $3) c')
    ) s(n, name, view_name, made_of, replaced_by) order by s.n
  loop
    execute format($template$
      create function projection.%s_as_read(log_ids integer[], next_offsets bigint[], at timestamptz)
      returns setof %s language sql stable parallel safe as $$ %s $$
    $template$, step.name, step.view_name, step.query || case step.name when 'commit' then ' where h.log_offset <= j.last_offset' else '' end);
  end loop;
  perform set_config('search_path', old_path, true);
end $do$;

create function projection.startpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamptz)
returns setof coordinator.startpoint language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.receipt_job($1, $2, $3) j
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, $3) r
  where j.coordinator_log is not null
$$;

create function projection.startpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamptz)
returns setof coordinator.startpoint_history language sql stable parallel safe as $$
  select l.job_name, l.job_id, l.job_bucket, r.*
  from projection.receipt_log($1, $2, $3) l
  cross join lateral projection.startpoint_history_state(l.log_id, l.incarnation, l.last_offset, $3) r
  where l.stream_kind = 'coordinator'
$$;

create function projection.starting_offset_as_read(log_ids integer[], next_offsets bigint[], at timestamptz)
returns setof coordinator.starting_offset language sql stable parallel safe as $$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.receipt_job($1, $2, $3) j
  cross join lateral projection.starting_offset_state(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, at => $3, only_task => null) r
  where r.decided_by is not null
$$;
