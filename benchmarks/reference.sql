-- The limit's tables, frozen: the archive and the histories of the layout that was measured first, with their primary
-- keys and nothing else. They do not follow the product's migrations, so that ratios of different days can be compared.
create schema reference;

create table reference.event (
    log_offset bigint not null,
    record_time timestamptz,
    archived_at timestamptz not null,
    unheld_timestamp bigint,
    log_id integer not null,
    leader_epoch integer,
    timestamp_type smallint not null,
    headers jsonb,
    key bytea,
    value bytea,
    primary key (log_id, log_offset)
) partition by range (log_offset);
create table reference.event_from_0 partition of reference.event for values from (0) to (10000000);

-- the primary key of a history is its as-of index: one backward probe per key
create table reference.checkpoint_event (
    log_offset bigint not null,
    record_time timestamptz,
    log_id integer not null,
    key_id integer not null,
    layout_id integer,
    checkpoint_id text,
    offsets text,
    offsets_odd text[],
    other_version_time timestamptz,
    primary key (log_id, key_id, log_offset)
) partition by range (log_offset);
create table reference.checkpoint_event_from_0 partition of reference.checkpoint_event for values from (0) to (10000000);

create table reference.message_event (
    log_offset bigint not null,
    record_time timestamptz,
    message_time timestamptz,
    log_id integer not null,
    key_id integer not null,
    body jsonb,
    source text,
    host text,
    username text,
    primary key (log_id, key_id, log_offset)
);

create table reference.checkpoint_envelope (
    log_offset bigint not null,
    message_time timestamptz,
    log_id integer not null,
    source text,
    host text,
    username text,
    primary key (log_id, log_offset)
);
