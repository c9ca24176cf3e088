"""make event log and projection."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

EVENT_LOG = """
create table eventlog.log (
    log_id integer generated always as identity,
    backend text not null,
    cluster_id text,
    stream_name text not null,
    stream_kind text not null,
    incarnation integer not null,
    topic_id text,
    created_at timestamptz not null,
    constraint pk_log primary key (log_id),
    constraint uq_log_stream_name_incarnation unique (stream_name, incarnation)
);
comment on column eventlog.log.backend is 'kafka, postgres or recording';
comment on column eventlog.log.stream_kind is 'coordinator or checkpoint';

create table eventlog.log_head (
    log_id integer not null,
    next_offset bigint not null,
    constraint pk_log_head primary key (log_id)
);

create table eventlog.event (
    log_offset bigint not null,
    record_time timestamptz,
    archived_at timestamptz not null,
    unheld_timestamp bigint,
    log_id integer not null,
    leader_epoch integer,
    timestamp_type smallint not null default 0,
    headers jsonb,
    key bytea,
    value bytea,
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
    from_offset bigint,
    to_offset bigint,
    observed_at timestamptz not null,
    constraint pk_observation primary key (observation_id)
);
comment on column eventlog.observation.kind is 'gap, swept, truncated or recreated';

create function eventlog.refuse() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only: % is refused', tg_table_schema || '.' || tg_table_name, lower(tg_op);
end $$;
create trigger append_only before update or delete on eventlog.event
    for each row execute function eventlog.refuse();
create trigger no_truncate before truncate on eventlog.event
    for each statement execute function eventlog.refuse();
create trigger append_only before update or delete on eventlog.observation
    for each row execute function eventlog.refuse();
create trigger no_truncate before truncate on eventlog.observation
    for each statement execute function eventlog.refuse();
"""

PROJECTION = """
create schema projection;
create schema coordinator;

create table projection.job_log (
    log_id integer not null,
    stream_name text not null,
    stream_kind text not null,
    incarnation integer not null,
    job_suffix text not null,
    job_name text not null,
    job_id text not null,
    job_bucket integer not null,
    is_current boolean not null,
    is_complete boolean not null,
    constraint pk_job_log primary key (log_id)
);
create index ix_job_log_job_name_job_id on projection.job_log (job_name, job_id);
create index ix_job_log_job_suffix on projection.job_log (job_suffix);
comment on column projection.job_log.job_suffix is 'what follows the prefix of the stream: pairs a job''s logs';
comment on column projection.job_log.is_current is 'the incarnation that the current relations show';
comment on column projection.job_log.is_complete is 'false while a new incarnation is still being read';

create table projection.event_key (
    log_id integer not null,
    key_id integer not null,
    checkpoint_version integer,
    partition_id integer,
    key_bucket integer,
    is_other boolean not null,
    is_sensitive boolean not null,
    message_type text,
    message_key text,
    grouper_factory text,
    system_name text,
    stream_name text,
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
    log_id integer not null,
    key_id integer not null,
    n integer not null,
    partition_id integer not null,
    system_name text not null,
    stream_name text not null,
    task_name text,
    constraint pk_startpoint_reading primary key (log_id, key_id, n)
);

create table projection.message_event (
    log_offset bigint not null,
    record_time timestamptz,
    message_time timestamptz,
    log_id integer not null,
    key_id integer not null,
    body jsonb,
    source text,
    host text,
    username text,
    constraint pk_message_event primary key (log_id, key_id, log_offset)
);
comment on column projection.message_event.message_time is 'the envelope''s own timestamp';
comment on column projection.message_event.body is 'the decoded fields, secrets masked; null = delete';
create table projection.message_current (
    like projection.message_event including comments,
    constraint pk_message_current primary key (log_id, key_id)
) with (fillfactor = 50);

create table projection.checkpoint_layout (
    log_id integer not null,
    layout_id integer not null,
    n integer not null,
    partition_id integer,
    key_bucket integer,
    is_state boolean not null,
    system_name text,
    stream_name text,
    factory_name text,
    store_name text,
    marker_prefix text,
    marker_suffix text,
    constraint pk_checkpoint_layout primary key (log_id, layout_id, n)
);
comment on column projection.checkpoint_layout.n is 'place among the checkpoint''s offsets, from 1';
comment on column projection.checkpoint_layout.marker_prefix is 'state marker = marker_prefix, offset, marker_suffix';

create table projection.checkpoint_event (
    log_offset bigint not null,
    record_time timestamptz,
    log_id integer not null,
    key_id integer not null,
    layout_id integer,
    checkpoint_id text,
    offsets text,
    offsets_odd text[],
    constraint pk_checkpoint_event primary key (log_id, key_id, log_offset)
) partition by range (log_offset);
comment on column projection.checkpoint_event.layout_id is 'names of the offsets; 0 = none, null = delete';
comment on column projection.checkpoint_event.offsets is 'U+001F between, U+001E = null';
comment on column projection.checkpoint_event.offsets_odd is
    'instead of offsets where one of them holds these characters';
create table projection.checkpoint_current (
    like projection.checkpoint_event including comments,
    constraint pk_checkpoint_current primary key (log_id, key_id)
) with (fillfactor = 50);

create table projection.checkpoint_envelope (
    log_offset bigint not null,
    message_time timestamptz,
    log_id integer not null,
    source text,
    host text,
    username text,
    constraint pk_checkpoint_envelope primary key (log_id, log_offset)
);

create table projection.log_time (
    log_offset bigint not null,
    log_time timestamptz not null,
    log_id integer not null,
    constraint pk_log_time primary key (log_id, log_offset)
);
create index ix_log_time_log_id_log_time_log_offset on projection.log_time (log_id, log_time, log_offset);

create table projection.position (
    log_id integer not null,
    next_offset bigint not null,
    end_offset bigint,
    heartbeat_at timestamptz not null,
    state text not null,
    fold_version text not null,
    constraint pk_position primary key (log_id)
) with (fillfactor = 50);
comment on column projection.position.end_offset is 'the log''s end when last seen; null = unknown';
comment on column projection.position.state is 'catching-up, live, replacing or stopped';

create table projection.quarantine (
    log_offset bigint not null,
    record_time timestamptz,
    resolved_by bigint,
    log_id integer not null,
    key_id integer,
    value_bytes integer,
    reason text not null,
    detail text not null,
    key_text text,
    value_fingerprint text,
    constraint pk_quarantine primary key (log_id, log_offset)
);
create index ix_quarantine_log_id_key_id on projection.quarantine (log_id, key_id) where resolved_by is null;
comment on column projection.quarantine.resolved_by is 'offset of the readable value or tombstone that came after';
comment on column projection.quarantine.key_id is 'null: the record has no key';
comment on column projection.quarantine.key_text is 'the key as text, masked';
"""


def upgrade() -> None:
    """Make the three schemas and their tables."""
    op.execute(EVENT_LOG)
    op.execute(PROJECTION)


def downgrade() -> None:
    """Drop everything but the schema that holds the revision itself."""
    op.execute("drop schema coordinator; drop schema projection cascade")
    op.execute("drop table eventlog.log, eventlog.log_head, eventlog.event, eventlog.observation")
    op.execute("drop function eventlog.refuse()")
