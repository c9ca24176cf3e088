-- State entries of every task's winning checkpoint, a row a store and backend factory.
create function projection.state_checkpoint_state(coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint,
                                                  checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint)
returns table (task_name text, store_name text, factory_name text, marker text, changelog_system text, changelog_stream text,
               changelog_partition integer, changelog_offset text, checkpoint_id text, checkpoint_version integer,
               record_time timestamptz, message_time timestamptz, source text, host text, username text,
               stream_kind text, incarnation integer, log_offset bigint)
language sql stable parallel safe as $$
  select w.task_name,
    coalesce(l.store_name, w.store_names[array_position(w.changelogs, l.system_name || '.' || l.stream_name)], ''),
    coalesce(l.factory_name, 'org.apache.samza.storage.KafkaChangelogStateBackendFactory'),
    l.marker_prefix || coalesce(x.state_offset, '') || l.marker_suffix,
    l.system_name, l.stream_name, l.partition_id, case when l.stream_name is not null then x.state_offset end,
    w.checkpoint_id, w.checkpoint_version,
    w.record_time, e.message_time, e.source, e.host, e.username,
    case when $4 is null then 'coordinator' else 'checkpoint' end, case when $4 is null then $2 else $5 end, w.log_offset
  from projection.checkpoint_choice($1, $3, $4, $6) w
  join projection.checkpoint_layout l on l.log_id = w.log_id and l.layout_id = w.layout_id
  cross join lateral (select projection.offset_of(w.offsets, w.offsets_odd, l.n)) x(state_offset)
  left join projection.checkpoint_envelope e on e.log_id = w.log_id and e.log_offset = w.log_offset and w.checkpoint_version = 0
  where l.is_state or w.checkpoint_version = 1 and l.system_name || '.' || l.stream_name = any (w.changelogs)
$$;
