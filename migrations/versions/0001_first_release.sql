-- The tables, partitions and locks of the first release. Views and functions are in projections/sql.

create schema if not exists projection;  -- env.py has created eventlog, for its version table

create table eventlog.log (
    log_id integer generated always as identity,
    backend text not null,
    cluster_id text,
    stream_name text not null, stream_kind text not null, incarnation integer not null,
    topic_id text,
    created_at timestamptz not null,
    constraint pk_log primary key (log_id),
    constraint uq_log_stream_name_incarnation unique (stream_name, incarnation)
);
comment on column eventlog.log.backend is 'kafka, postgres or recording';
comment on column eventlog.log.cluster_id is 'the Kafka cluster; null: a log of Postgres, or a recording';
comment on column eventlog.log.stream_kind is 'coordinator or checkpoint';
comment on column eventlog.log.topic_id is 'changes when a topic is re-created; null: no topic';

create table eventlog.log_head (
    log_id integer not null,
    next_offset bigint not null,
    constraint pk_log_head primary key (log_id)
);

create table eventlog.event (
    log_offset bigint not null,
    record_time timestamptz, archived_at timestamptz not null, unheld_timestamp bigint,
    log_id integer not null,
    leader_epoch integer, timestamp_type smallint not null default 0, headers jsonb,
    key bytea, value bytea,
    constraint pk_event primary key (log_id, log_offset)
) partition by range (log_offset);
comment on column eventlog.event.record_time is 'null where timestamptz cannot hold the record''s time';
comment on column eventlog.event.unheld_timestamp is 'the record''s time in ms where record_time cannot hold it';
comment on column eventlog.event.headers is 'list of [name, base64 of the value or null]';

create table eventlog.observation (
    observation_id bigint generated always as identity,
    log_id integer not null,
    at_offset bigint not null,
    kind text not null,
    key bytea,
    from_offset bigint, to_offset bigint,
    observed_at timestamptz not null,
    constraint pk_observation primary key (observation_id)
);
create index ix_observation_log_id_at_offset on eventlog.observation (log_id, at_offset);
comment on column eventlog.observation.kind is 'gap, swept, truncated or recreated';

create table eventlog.input_bound (
    job_suffix text not null,
    system_name text not null, stream_name text not null, partition_id integer not null,
    oldest_offset bigint, end_offset bigint, end_record_time timestamptz,
    observed_at timestamptz not null,
    constraint pk_input_bound primary key (job_suffix, system_name, stream_name, partition_id, observed_at)
        include (end_offset)
);
comment on column eventlog.input_bound.job_suffix is 'as in job_log';

create table eventlog.retired_stream (
    stream_name text not null,
    retired_at timestamptz not null,
    constraint pk_retired_stream primary key (stream_name)
);
comment on table eventlog.retired_stream is 'streams whose logs are kept, but which nothing is expected to follow';

create table eventlog.horizon (
    log_id integer not null, retention_number integer not null,
    horizon_offset bigint not null, horizon_time timestamptz not null,
    constraint pk_horizon primary key (log_id, retention_number)
);
comment on column eventlog.horizon.retention_number is
    'the retention that detached events of the log; the names of its detached tables end with this number';
comment on column eventlog.horizon.horizon_offset is
    'below it, the archive has only what the state at this offset needs';
comment on column eventlog.horizon.horizon_time is 'the time that was given as the horizon';

create table eventlog.spark_read (
    spark_read_id bigint generated always as identity,
    read_at timestamptz not null, as_of timestamptz not null,
    row_count bigint not null, checksum bigint not null,
    read_by text not null, application text not null,
    relation_name text not null, column_names text[] not null,
    log_ids integer[] not null, next_offsets bigint[] not null,
    constraint pk_spark_read primary key (spark_read_id)
);
create index ix_spark_read_log_ids on eventlog.spark_read using gin (log_ids);
create index ix_spark_read_read_by_read_at on eventlog.spark_read (read_by, read_at);
comment on table eventlog.spark_read is 'receipts: what reads of Spark showed, so that the same can be read again';
comment on column eventlog.spark_read.next_offsets is 'the first offset of each of the log_ids that the read did not show';

create table eventlog.held_name (
    name text not null,
    constraint pk_held_name primary key (name)
);

create table eventlog.relation_object (
    object text not null,
    constraint pk_relation_object primary key (object)
);
comment on table eventlog.relation_object is
    'the views and functions that a migration created: the next one replaces these, and no others';

create function eventlog.refuse() returns trigger language plpgsql as $$
begin
    raise exception 'eventlog.% is append-only: % is refused', regexp_replace(tg_table_name, '_from_\d+$', ''), lower(tg_op);
end $$;
create trigger append_only before update or delete on eventlog.event
    for each row execute function eventlog.refuse();
create trigger no_truncate before truncate on eventlog.event
    for each statement execute function eventlog.refuse();
create trigger append_only before update or delete on eventlog.observation
    for each row execute function eventlog.refuse();
create trigger no_truncate before truncate on eventlog.observation
    for each statement execute function eventlog.refuse();

-- Advisory locks ask for no privilege, so any login of the database could hold one that we wait for. Rows do.
create function eventlog.hold(held_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    insert into eventlog.held_name (name) values (held_name) on conflict do nothing;
    perform from eventlog.held_name h where h.name = held_name for update;
end $$;
comment on function eventlog.hold is
    'Waits until no other transaction holds a name, and holds it until the end of this one.';

-- Attached, not created in place: that takes no lock which readers of the parent would wait for. to_regclass may answer
-- from a cache that misses what another session just made, hence the second look. Unlike row triggers, those of TRUNCATE
-- are not cloned.
create function eventlog.ensure_partition(schema_name text, table_name text, first_offset bigint)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    width constant bigint := 10000000;
    partition_name constant text := format('%s_from_%s', table_name, first_offset);
    upper_bound constant text := case when first_offset > 9223372036854775807 - width then 'maxvalue'
                                      else (first_offset + width)::text end;
begin
    if to_regclass(format('%I.%I', schema_name, partition_name)) is not null then
        return;
    end if;
    execute format('lock table %I.%I in share update exclusive mode', schema_name, table_name);
    if exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
               where n.nspname = schema_name and c.relname = partition_name) then
        return;
    end if;
    execute format('create table %1$I.%2$I (like %1$I.%3$I including all)', schema_name, partition_name, table_name);
    execute format('alter table %1$I.%3$I attach partition %1$I.%2$I for values from (%4$s) to (%5$s)',
                   schema_name, partition_name, table_name, first_offset, upper_bound);
    if schema_name = 'eventlog' then
        execute format('create trigger no_truncate before truncate on %I.%I for each statement '
                       'execute function eventlog.refuse()', schema_name, partition_name);
    end if;
end $$;
comment on function eventlog.ensure_partition is
    'Makes the partition of a table that begins at an offset, a multiple of ten million, unless it is there.';

create table projection.job_log (
    log_id integer not null,
    stream_name text not null, stream_kind text not null, incarnation integer not null,
    job_suffix text not null,
    job_name text not null, job_id text not null, job_bucket integer not null,
    is_current boolean not null, is_complete boolean not null, has_checkpoint_topic boolean not null default false,
    versions integer[] not null default '{1}', lower_version integer, max_age interval not null default '10 minutes',
    grouper_factory text, changelogs text[], store_names text[],
    constraint pk_job_log primary key (log_id)
);
create index ix_job_log_job_name_job_id on projection.job_log (job_name, job_id);
create index ix_job_log_job_suffix on projection.job_log (job_suffix);
comment on column projection.job_log.job_suffix is 'the name of the stream without Samza''s prefix: pairs a job''s logs';
comment on column projection.job_log.is_current is 'the incarnation that the current relations show';
comment on column projection.job_log.has_checkpoint_topic is
    'that the job reads its checkpoints there; from here on as projection.checkpoint_rule says, kept by keep_checkpoints_of_job';
comment on column projection.job_log.is_complete is 'false while a new incarnation is still being read';

create table projection.position (
    log_id integer not null,
    next_offset bigint not null, end_offset bigint,
    heartbeat_at timestamptz not null,
    state text not null,
    fold_version text not null,
    read_at timestamptz,
    resync_from bigint,
    state_detail text,
    rebuilds integer not null default 0,
    constraint pk_position primary key (log_id)
) with (fillfactor = 50);
comment on column projection.position.end_offset is 'the log''s end when last seen; null = unknown';
comment on column projection.position.state is 'catching-up, live, replacing, waiting, refused or stopped';
comment on column projection.position.read_at is
    'when the log was last read to its end, or reading it began; null = unknown';
comment on column projection.position.resync_from is 'position where a resync began that is not done; null = none';
comment on column projection.position.state_detail is 'why a log is not followed now; null = nothing to say';
comment on column projection.position.rebuilds is
    'rebuilds of the log: a projector that loaded its state before the last one must load it again';

create table projection.refused_stream (
    stream_name text not null, stream_kind text not null,
    job_suffix text not null,
    job_name text not null, job_id text not null, job_bucket integer not null,
    state_detail text not null, heartbeat_at timestamptz not null,
    constraint pk_refused_stream primary key (stream_name)
);

create table projection.stream_holder (
    stream_name text not null,
    lock_id integer not null,
    backend_pid integer not null,
    taken_at timestamptz not null,
    constraint pk_stream_holder primary key (stream_name)
);
comment on column projection.stream_holder.lock_id is 'second key of the advisory lock that the session holds';
comment on column projection.stream_holder.backend_pid is 'the session that took the stream last; it may have ended';

create table projection.gap (
    log_id integer not null, first_offset bigint not null, last_offset bigint not null,
    constraint pk_gap primary key (log_id, first_offset)
);

create table projection.log_time (
    log_offset bigint not null, log_time timestamptz not null, log_id integer not null,
    constraint pk_log_time primary key (log_id, log_offset)
);
create index ix_log_time_log_id_log_time_log_offset on projection.log_time (log_id, log_time, log_offset);

create table projection.event_key (
    log_id integer not null, key_id integer not null,
    checkpoint_version integer,
    partition_id integer, key_bucket integer,
    is_other boolean not null, is_sensitive boolean not null,
    message_type text, message_key text,
    grouper_factory text, system_name text, stream_name text,
    key_sha256 bytea not null,
    constraint pk_event_key primary key (log_id, key_id),
    constraint uq_event_key_log_id_key_sha256 unique (log_id, key_sha256)
);
create index ix_event_key_log_id_message_type_start
    on projection.event_key (log_id, message_type, "left"(message_key, 100) text_pattern_ops) where not is_other;
comment on column projection.event_key.checkpoint_version is '0 set-checkpoint, 1, 2; null for other messages';
comment on column projection.event_key.is_other is 'shown in other_message';
comment on column projection.event_key.is_sensitive is 'the key alone says that its value is a secret';
comment on column projection.event_key.message_type is 'null: the key''s bytes cannot be read';
comment on column projection.event_key.message_key is 'one text for every spelling of the key';

create table projection.startpoint_reading (
    log_id integer not null, key_id integer not null,
    n integer not null, partition_id integer not null,
    system_name text not null, stream_name text not null, task_name text,
    constraint pk_startpoint_reading primary key (log_id, key_id, n)
);

create table projection.quarantine (
    log_offset bigint not null, record_time timestamptz,
    resolved_by bigint,
    log_id integer not null,
    key_id integer,
    value_bytes integer,
    reason text not null, detail text not null, key_text text, value_fingerprint text,
    constraint pk_quarantine primary key (log_id, log_offset)
);
create index ix_quarantine_log_id_key_id on projection.quarantine (log_id, key_id) where resolved_by is null;
comment on column projection.quarantine.resolved_by is 'offset of the readable value or tombstone that came after';
comment on column projection.quarantine.key_id is 'null: the record has no key';
comment on column projection.quarantine.key_text is 'the key as text, masked';

create table projection.message_event (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null, value_bytes integer,
    body jsonb,
    source text, host text, username text,
    constraint pk_message_event primary key (log_id, key_id, log_offset)
);
create index ix_message_event_log_id_log_offset on projection.message_event (log_id, log_offset);
comment on column projection.message_event.key_id is '-1: the record has no key';
comment on column projection.message_event.value_bytes is 'null: a tombstone; -1: a sweep found the key gone, the log has no such event';
comment on column projection.message_event.message_time is 'the envelope''s own timestamp';
comment on column projection.message_event.body is 'the decoded fields, secrets masked; null = delete';

-- Current rows, which projection.keep_current derives from message_event; n: place in the message, from 1.
create table projection.config (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    is_sensitive boolean not null, config_key text not null, config_value text,
    source text, host text, username text,
    constraint pk_config primary key (log_id, key_id)
) with (fillfactor = 50);
create table projection.changelog_mapping (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    changelog_partition integer, task_name text not null,
    source text, host text, username text,
    constraint pk_changelog_mapping primary key (log_id, key_id)
) with (fillfactor = 50);
create table projection.container_execution (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    container_id text not null, execution_container_id text,
    source text, host text, username text,
    constraint pk_container_execution primary key (log_id, key_id)
) with (fillfactor = 50);
create table projection.container_host (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    container_id text not null, host_name text, jmx_url text, jmx_tunneling_url text,
    source text, host text, username text,
    constraint pk_container_host primary key (log_id, key_id)
) with (fillfactor = 50);
create table projection.job_coordinator_metadata (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    cluster_type text not null, epoch_id text, config_id text, job_model_id text,
    source text, host text, username text,
    constraint pk_job_coordinator_metadata primary key (log_id, key_id)
) with (fillfactor = 50);
create table projection.task_container (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    task_name text not null, container_id text,
    source text, host text, username text,
    constraint pk_task_container primary key (log_id, key_id)
) with (fillfactor = 50);
create table projection.task_mode (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    task_name text not null, task_mode text,
    source text, host text, username text,
    constraint pk_task_mode primary key (log_id, key_id)
) with (fillfactor = 50);
create table projection.task_partition (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null, n integer not null,
    partition_id integer, key_bucket integer, system_name text, stream_name text, task_name text,
    source text, host text, username text,
    constraint pk_task_partition primary key (log_id, key_id, n)
) with (fillfactor = 50);
create table projection.pending_startpoint (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    created_ms bigint, startpoint_type text, startpoint_value text,
    source text, host text, username text,
    constraint pk_pending_startpoint primary key (log_id, key_id)
) with (fillfactor = 50);
create table projection.startpoint_fan_out (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null, n integer not null,
    created_at timestamptz, fanned_out_at timestamptz, partition_id integer, key_bucket integer,
    task_name text not null, system_name text, stream_name text, startpoint_type text, startpoint_value text,
    source text, host text, username text,
    constraint pk_startpoint_fan_out primary key (log_id, key_id, n)
) with (fillfactor = 50);
create table projection.other_message (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null,
    message_type text, message_key text, message_value text,
    source text, host text, username text,
    constraint pk_other_message primary key (log_id, key_id)
) with (fillfactor = 50);

create table projection.checkpoint_layout (
    layout_id bigint not null, log_id integer not null,
    partition_id integer[] not null, key_bucket integer[] not null, is_state boolean[] not null,
    system_name text[] not null, stream_name text[] not null, factory_name text[] not null, store_name text[] not null,
    marker_prefix text[] not null, marker_suffix text[] not null,
    input_streams text[] not null,
    constraint pk_checkpoint_layout primary key (log_id, layout_id)
);
comment on table projection.checkpoint_layout is 'what the offsets of a checkpoint belong to: an element for each, in their order';
comment on column projection.checkpoint_layout.marker_prefix is 'state marker = marker_prefix, offset, marker_suffix';
comment on column projection.checkpoint_layout.input_streams is 'system.stream of the input partitions, shorter than the other arrays';

create table projection.checkpoint_event (
    log_offset bigint not null, record_time timestamptz, layout_id bigint, other_version_time timestamptz,
    log_id integer not null, key_id integer not null, value_bytes integer,
    checkpoint_id text, offsets text, offsets_odd text[],
    constraint pk_checkpoint_event primary key (log_id, key_id, log_offset)
) partition by range (log_offset);
-- A plan that is cached before the first partition exists is not made again when it does: the planner drops the empty table from it.
select eventlog.ensure_partition('projection', 'checkpoint_event', 0);
comment on column projection.checkpoint_event.value_bytes is 'as in message_event';
comment on column projection.checkpoint_event.layout_id is 'names of the offsets, a hash of them; 0 = none, null = delete';
comment on column projection.checkpoint_event.offsets is 'U+001F between, U+001E = null';
comment on column projection.checkpoint_event.offsets_odd is
    'instead of offsets where one of them holds these characters';
comment on column projection.checkpoint_event.other_version_time is
    'record time of the task''s newest event of the other version before; -infinity = none, or a delete; '
    'infinity = not to be held; null = a set-checkpoint';

-- The offsets in the checkpoints that the tasks of each job start from, in the log that these are read from.
create table projection.checkpoint (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz, input_offset_number bigint,
    log_id integer not null, key_id integer not null, n integer not null,
    partition_id integer, key_bucket integer, checkpoint_version integer not null,
    task_name text not null, system_name text, stream_name text, input_offset text, checkpoint_id text,
    source text, host text, username text,
    constraint pk_checkpoint primary key (log_id, key_id, n)
) with (fillfactor = 50);
create table projection.state_checkpoint (
    log_offset bigint not null, record_time timestamptz, message_time timestamptz,
    log_id integer not null, key_id integer not null, n integer not null,
    changelog_partition integer, checkpoint_version integer not null,
    task_name text not null, store_name text not null, factory_name text not null, marker text,
    changelog_system text, changelog_stream text, changelog_offset text, checkpoint_id text,
    source text, host text, username text,
    constraint pk_state_checkpoint primary key (log_id, key_id, n)
) with (fillfactor = 50);

create table projection.suspect_checkpoint (
    log_offset bigint not null,
    log_id integer not null, key_id integer not null,
    may_be_lower boolean not null, may_be_unread boolean not null,
    constraint pk_suspect_checkpoint primary key (log_id, log_offset, key_id)
);
comment on column projection.suspect_checkpoint.may_be_lower is
    'an offset may be lower than in the checkpoint before under the same key';
comment on column projection.suspect_checkpoint.may_be_unread is
    'more than 5 minutes newer than the task''s newest checkpoint of the other version, and the one before under the '
    'same key by at most an hour';

create table projection.checkpoint_envelope (
    log_offset bigint not null, message_time timestamptz, log_id integer not null,
    source text, host text, username text,
    constraint pk_checkpoint_envelope primary key (log_id, log_offset)
);
