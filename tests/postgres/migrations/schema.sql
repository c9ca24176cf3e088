--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: coordinator; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA coordinator;

--
-- Name: SCHEMA coordinator; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA coordinator IS 'The readers'' contract; relations';

--
-- Name: eventlog; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA eventlog;

--
-- Name: projection; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA projection;

--
-- Name: checkpoint_event; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.checkpoint_event (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    layout_id bigint,
    other_version_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    value_bytes integer,
    checkpoint_id text,
    offsets text,
    offsets_odd text[]
)
PARTITION BY RANGE (log_offset);

--
-- Name: COLUMN checkpoint_event.layout_id; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.layout_id IS 'names of the offsets, a hash of them; 0 = none, null = delete';

--
-- Name: COLUMN checkpoint_event.other_version_time; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.other_version_time IS 'record time of the task''s newest event of the other version before; -infinity = none, or a delete; infinity = not to be held; null = a set-checkpoint';

--
-- Name: COLUMN checkpoint_event.value_bytes; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.value_bytes IS 'as in message_event';

--
-- Name: COLUMN checkpoint_event.offsets; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.offsets IS 'U+001F between, U+001E = null';

--
-- Name: COLUMN checkpoint_event.offsets_odd; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.offsets_odd IS 'instead of offsets where one of them holds these characters';

--
-- Name: horizon; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.horizon (
    log_id integer NOT NULL,
    retention_number integer NOT NULL,
    horizon_offset bigint NOT NULL,
    horizon_time timestamp with time zone NOT NULL
);

--
-- Name: COLUMN horizon.retention_number; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.horizon.retention_number IS 'the retention that detached events of the log; the names of its detached tables end with this number';

--
-- Name: COLUMN horizon.horizon_offset; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.horizon.horizon_offset IS 'below it, the archive has only what the state at this offset needs';

--
-- Name: COLUMN horizon.horizon_time; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.horizon.horizon_time IS 'the time that was given as the horizon';

--
-- Name: job_log; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.job_log (
    log_id integer NOT NULL,
    stream_name text NOT NULL,
    stream_kind text NOT NULL,
    incarnation integer NOT NULL,
    job_suffix text NOT NULL,
    job_name text NOT NULL,
    job_id text NOT NULL,
    job_bucket integer NOT NULL,
    is_current boolean NOT NULL,
    is_complete boolean NOT NULL,
    has_checkpoint_topic boolean DEFAULT false NOT NULL,
    versions integer[] DEFAULT '{1}'::integer[] NOT NULL,
    lower_version integer,
    max_age interval DEFAULT '00:10:00'::interval NOT NULL,
    grouper_factory text,
    changelogs text[],
    store_names text[]
);

--
-- Name: COLUMN job_log.job_suffix; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.job_log.job_suffix IS 'the name of the stream without Samza''s prefix: pairs a job''s logs';

--
-- Name: COLUMN job_log.is_current; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.job_log.is_current IS 'the incarnation that the current relations show';

--
-- Name: COLUMN job_log.is_complete; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.job_log.is_complete IS 'false while a new incarnation is still being read';

--
-- Name: COLUMN job_log.has_checkpoint_topic; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.job_log.has_checkpoint_topic IS 'that the job reads its checkpoints there; from here on as projection.checkpoint_rule says, kept by keep_checkpoints_of_job';

--
-- Name: checkpoint_envelope; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.checkpoint_envelope (
    log_offset bigint NOT NULL,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    source text,
    host text,
    username text
);

--
-- Name: event_key; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.event_key (
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    checkpoint_version integer,
    partition_id integer,
    key_bucket integer,
    is_other boolean NOT NULL,
    is_sensitive boolean NOT NULL,
    message_type text,
    message_key text,
    grouper_factory text,
    system_name text,
    stream_name text,
    key_sha256 bytea NOT NULL
);

--
-- Name: COLUMN event_key.checkpoint_version; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.event_key.checkpoint_version IS '0 set-checkpoint, 1, 2; null for other messages';

--
-- Name: COLUMN event_key.is_other; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.event_key.is_other IS 'shown in other_message';

--
-- Name: COLUMN event_key.is_sensitive; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.event_key.is_sensitive IS 'the key alone says that its value is a secret';

--
-- Name: COLUMN event_key.message_type; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.event_key.message_type IS 'null: the key''s bytes cannot be read';

--
-- Name: COLUMN event_key.message_key; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.event_key.message_key IS 'one text for every spelling of the key';

--
-- Name: suspect_checkpoint; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.suspect_checkpoint (
    log_offset bigint NOT NULL,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    may_be_lower boolean NOT NULL,
    may_be_unread boolean NOT NULL
);

--
-- Name: COLUMN suspect_checkpoint.may_be_lower; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.suspect_checkpoint.may_be_lower IS 'an offset may be lower than in the checkpoint before under the same key';

--
-- Name: COLUMN suspect_checkpoint.may_be_unread; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.suspect_checkpoint.may_be_unread IS 'more than 5 minutes newer than the task''s newest checkpoint of the other version, and the one before under the same key by at most an hour';

--
-- Name: state_checkpoint; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.state_checkpoint (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    n integer NOT NULL,
    changelog_partition integer,
    checkpoint_version integer NOT NULL,
    task_name text NOT NULL,
    store_name text NOT NULL,
    factory_name text NOT NULL,
    marker text,
    changelog_system text,
    changelog_stream text,
    changelog_offset text,
    checkpoint_id text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: changelog_mapping; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.changelog_mapping (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    changelog_partition integer,
    task_name text NOT NULL,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: checkpoint; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.checkpoint (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    input_offset_number bigint,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    n integer NOT NULL,
    partition_id integer,
    key_bucket integer,
    checkpoint_version integer NOT NULL,
    task_name text NOT NULL,
    system_name text,
    stream_name text,
    input_offset text,
    checkpoint_id text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: config; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.config (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    is_sensitive boolean NOT NULL,
    config_key text NOT NULL,
    config_value text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: container_execution; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.container_execution (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    container_id text NOT NULL,
    execution_container_id text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: container_host; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.container_host (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    container_id text NOT NULL,
    host_name text,
    jmx_url text,
    jmx_tunneling_url text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: job_coordinator_metadata; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.job_coordinator_metadata (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    cluster_type text NOT NULL,
    epoch_id text,
    config_id text,
    job_model_id text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: checkpoint_layout; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.checkpoint_layout (
    layout_id bigint NOT NULL,
    log_id integer NOT NULL,
    partition_id integer[] NOT NULL,
    key_bucket integer[] NOT NULL,
    is_state boolean[] NOT NULL,
    system_name text[] NOT NULL,
    stream_name text[] NOT NULL,
    factory_name text[] NOT NULL,
    store_name text[] NOT NULL,
    marker_prefix text[] NOT NULL,
    marker_suffix text[] NOT NULL,
    input_streams text[] NOT NULL
);

--
-- Name: TABLE checkpoint_layout; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON TABLE projection.checkpoint_layout IS 'what the offsets of a checkpoint belong to: an element for each, in their order';

--
-- Name: COLUMN checkpoint_layout.marker_prefix; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_layout.marker_prefix IS 'state marker = marker_prefix, offset, marker_suffix';

--
-- Name: COLUMN checkpoint_layout.input_streams; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_layout.input_streams IS 'system.stream of the input partitions, shorter than the other arrays';

--
-- Name: message_event; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.message_event (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    value_bytes integer,
    body jsonb,
    source text,
    host text,
    username text
);

--
-- Name: COLUMN message_event.message_time; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.message_event.message_time IS 'the envelope''s own timestamp';

--
-- Name: COLUMN message_event.key_id; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.message_event.key_id IS '-1: the record has no key';

--
-- Name: COLUMN message_event.value_bytes; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.message_event.value_bytes IS 'null: a tombstone; -1: a sweep found the key gone, the log has no such event';

--
-- Name: COLUMN message_event.body; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.message_event.body IS 'the decoded fields, secrets masked; null = delete';

--
-- Name: quarantine; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.quarantine (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    resolved_by bigint,
    log_id integer NOT NULL,
    key_id integer,
    value_bytes integer,
    reason text NOT NULL,
    detail text NOT NULL,
    key_text text,
    value_fingerprint text
);

--
-- Name: COLUMN quarantine.resolved_by; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.quarantine.resolved_by IS 'offset of the readable value or tombstone that came after';

--
-- Name: COLUMN quarantine.key_id; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.quarantine.key_id IS 'null: the record has no key';

--
-- Name: COLUMN quarantine.key_text; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.quarantine.key_text IS 'the key as text, masked';

--
-- Name: log_time; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.log_time (
    log_offset bigint NOT NULL,
    log_time timestamp with time zone NOT NULL,
    log_id integer NOT NULL
);

--
-- Name: startpoint_fan_out; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.startpoint_fan_out (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    n integer NOT NULL,
    created_at timestamp with time zone,
    fanned_out_at timestamp with time zone,
    partition_id integer,
    key_bucket integer,
    task_name text NOT NULL,
    system_name text,
    stream_name text,
    startpoint_type text,
    startpoint_value text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: task_container; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.task_container (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    task_name text NOT NULL,
    container_id text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: task_mode; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.task_mode (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    task_name text NOT NULL,
    task_mode text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: task_partition; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.task_partition (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    n integer NOT NULL,
    partition_id integer,
    key_bucket integer,
    system_name text,
    stream_name text,
    task_name text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: append(text, bytea[], bytea[], bigint[], jsonb[], bigint, timestamp with time zone); Type: FUNCTION; Schema: eventlog; Owner: -
--

CREATE FUNCTION eventlog.append(stream_name text, event_keys bytea[], event_values bytea[], event_times bigint[] DEFAULT NULL::bigint[], event_headers jsonb[] DEFAULT NULL::jsonb[], expected_offset bigint DEFAULT NULL::bigint, appended_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    event_count constant integer := cardinality(event_keys);
    archived timestamptz;
    appended_ms bigint;
    target eventlog.log;
    first_offset bigint;
    end_offset bigint;
begin
    if event_count is null or event_count is distinct from cardinality(event_values)
       or event_count <> coalesce(cardinality(event_times), event_count)
       or event_count <> coalesce(cardinality(event_headers), event_count) then
        raise invalid_parameter_value using message =
            'Arrays differ in length. Give a key and a value, null or not, for each event.';
    end if;
    if appended_at is not null and not pg_has_role(session_user, current_user, 'member') then
        raise insufficient_privilege using message =
            'Only the owner of the event log may set appended_at. Leave it out.';
    end if;
    perform eventlog.require_headers(event_headers);
    select l.* into target from eventlog.log l where l.stream_name = append.stream_name
    order by l.incarnation desc limit 1;
    if not found then
        raise exception using errcode = 'CS001', message = format('No log of stream "%s". Create it with `coordstream log create`.', stream_name);
    end if;
    if target.backend <> 'postgres' then
        raise exception using errcode = 'CS002',
            message = format('%s has the events of a %s log. Append only to logs of Postgres.', stream_name, target.backend);
    end if;
    select h.next_offset into strict first_offset from eventlog.log_head h where h.log_id = target.log_id for update;
    if expected_offset <> first_offset then
        raise exception using errcode = 'CS003', detail = first_offset::text,
            message = format('%s ends at offset %s, not at %s. Read the new events, then append again.', stream_name, first_offset, expected_offset);
    end if;
    if event_count = 0 then
        return first_offset;
    end if;
    archived := coalesce(appended_at, clock_timestamp());
    appended_ms := floor(extract(epoch from archived) * 1000);
    end_offset := first_offset + event_count;
    perform eventlog.ensure_partition('eventlog', 'event', number * 10000000)
    from generate_series(first_offset / 10000000, (end_offset - 1) / 10000000) as number;
    insert into eventlog.event (log_offset, record_time, archived_at, unheld_timestamp, log_id, timestamp_type, headers,
                                key, value)
    select first_offset + e.number - 1,
           case when t.is_held then timestamptz '2000-01-01 00:00:00+00' + (t.ms / 86400000 - 10957) * interval '24 hours'
                                    + (t.ms % 86400000) * interval '1 millisecond' end,
           archived, case when not t.is_held then t.ms end, target.log_id, (e.ms is null)::integer, e.headers,
           e.key, e.value
    from unnest(event_keys, event_values, event_times, event_headers) with ordinality
         as e (key, value, ms, headers, number)
    cross join lateral (select coalesce(e.ms, appended_ms)) as m (ms)
    cross join lateral (select m.ms, m.ms between -210866803200000 and 9224318015999999) as t (ms, is_held);
    update eventlog.log_head h set next_offset = end_offset where h.log_id = target.log_id;
    perform pg_notify('coordstream_event',
                      json_build_object('stream_name', stream_name, 'next_offset', end_offset)::text);
    return first_offset;
end $$;

--
-- Name: FUNCTION append(stream_name text, event_keys bytea[], event_values bytea[], event_times bigint[], event_headers jsonb[], expected_offset bigint, appended_at timestamp with time zone); Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON FUNCTION eventlog.append(stream_name text, event_keys bytea[], event_values bytea[], event_times bigint[], event_headers jsonb[], expected_offset bigint, appended_at timestamp with time zone) IS 'Appends events to the newest incarnation of a stream that Postgres keeps, all or none, and gives the offset of the first. Times are in ms since 1970; null: now. With expected_offset only if the log ends there. SQLSTATE CS001: no such log; CS002: it is an archive; CS003: it ends elsewhere (the detail says where).';

--
-- Name: ensure_partition(text, text, bigint); Type: FUNCTION; Schema: eventlog; Owner: -
--

CREATE FUNCTION eventlog.ensure_partition(schema_name text, table_name text, first_offset bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
end $_$;

--
-- Name: FUNCTION ensure_partition(schema_name text, table_name text, first_offset bigint); Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON FUNCTION eventlog.ensure_partition(schema_name text, table_name text, first_offset bigint) IS 'Makes the partition of a table that begins at an offset, a multiple of ten million, unless it is there.';

--
-- Name: hold(text); Type: FUNCTION; Schema: eventlog; Owner: -
--

CREATE FUNCTION eventlog.hold(held_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into eventlog.held_name (name) values (held_name) on conflict do nothing;
    perform from eventlog.held_name h where h.name = held_name for update;
end $$;

--
-- Name: FUNCTION hold(held_name text); Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON FUNCTION eventlog.hold(held_name text) IS 'Waits until no other transaction holds a name, and holds it until the end of this one.';

--
-- Name: refuse(); Type: FUNCTION; Schema: eventlog; Owner: -
--

CREATE FUNCTION eventlog.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
begin
    raise exception 'eventlog.% is append-only: % is refused', regexp_replace(tg_table_name, '_from_\d+$', ''), lower(tg_op);
end $_$;

--
-- Name: require_headers(jsonb[]); Type: FUNCTION; Schema: eventlog; Owner: -
--

CREATE FUNCTION eventlog.require_headers(event_headers jsonb[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if exists (select from unnest(event_headers) as h, jsonb_array_elements(h) as header
               where jsonb_typeof(header) <> 'array' or jsonb_array_length(header) not between 2 and 3
                  or jsonb_typeof(header -> 0) not in ('string', 'null')
                  or jsonb_typeof(header -> 1) not in ('string', 'null')
                  or decode(header ->> 1, 'base64') is null and header ->> 1 is not null) then
        raise invalid_parameter_value using message =
            'Invalid headers. Give a list of [name, base64 of the value or null] for each event.';
    end if;
end $$;

--
-- Name: FUNCTION require_headers(event_headers jsonb[]); Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON FUNCTION eventlog.require_headers(event_headers jsonb[]) IS 'Refuses headers that no reader of the archive could read.';

--
-- Name: other_message; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.other_message (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    message_type text,
    message_key text,
    message_value text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: pending_startpoint; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.pending_startpoint (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    created_ms bigint,
    startpoint_type text,
    startpoint_value text,
    source text,
    host text,
    username text
)
WITH (fillfactor='50');

--
-- Name: input_bound; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.input_bound (
    job_suffix text NOT NULL,
    system_name text NOT NULL,
    stream_name text NOT NULL,
    partition_id integer NOT NULL,
    oldest_offset bigint,
    end_offset bigint,
    end_record_time timestamp with time zone,
    observed_at timestamp with time zone NOT NULL
);

--
-- Name: COLUMN input_bound.job_suffix; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.input_bound.job_suffix IS 'as in job_log';

--
-- Name: event; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.event (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    archived_at timestamp with time zone NOT NULL,
    unheld_timestamp bigint,
    log_id integer NOT NULL,
    leader_epoch integer,
    timestamp_type smallint DEFAULT 0 NOT NULL,
    headers jsonb,
    key bytea,
    value bytea
)
PARTITION BY RANGE (log_offset);

--
-- Name: COLUMN event.record_time; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.event.record_time IS 'null where timestamptz cannot hold the record''s time';

--
-- Name: COLUMN event.unheld_timestamp; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.event.unheld_timestamp IS 'the record''s time in ms where record_time cannot hold it';

--
-- Name: COLUMN event.headers; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.event.headers IS 'list of [name, base64 of the value or null]';

--
-- Name: observation; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.observation (
    observation_id bigint NOT NULL,
    log_id integer NOT NULL,
    at_offset bigint NOT NULL,
    kind text NOT NULL,
    key bytea,
    from_offset bigint,
    to_offset bigint,
    observed_at timestamp with time zone NOT NULL
);

--
-- Name: COLUMN observation.kind; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.observation.kind IS 'gap, swept, truncated or recreated';

--
-- Name: gap; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.gap (
    log_id integer NOT NULL,
    first_offset bigint NOT NULL,
    last_offset bigint NOT NULL
);

--
-- Name: log; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.log (
    log_id integer NOT NULL,
    backend text NOT NULL,
    cluster_id text,
    stream_name text NOT NULL,
    stream_kind text NOT NULL,
    incarnation integer NOT NULL,
    topic_id text,
    created_at timestamp with time zone NOT NULL
);

--
-- Name: COLUMN log.backend; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.log.backend IS 'kafka, postgres or recording';

--
-- Name: COLUMN log.cluster_id; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.log.cluster_id IS 'the Kafka cluster; null: a log of Postgres, or a recording';

--
-- Name: COLUMN log.stream_kind; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.log.stream_kind IS 'coordinator or checkpoint';

--
-- Name: COLUMN log.topic_id; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.log.topic_id IS 'changes when a topic is re-created; null: no topic';

--
-- Name: log_head; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.log_head (
    log_id integer NOT NULL,
    next_offset bigint NOT NULL
);

--
-- Name: retired_stream; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.retired_stream (
    stream_name text NOT NULL,
    retired_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE retired_stream; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON TABLE eventlog.retired_stream IS 'streams whose logs are kept, but which nothing is expected to follow';

--
-- Name: position; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection."position" (
    log_id integer NOT NULL,
    next_offset bigint NOT NULL,
    end_offset bigint,
    heartbeat_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    fold_version text NOT NULL,
    read_at timestamp with time zone,
    resync_from bigint,
    state_detail text,
    rebuilds integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

--
-- Name: COLUMN "position".end_offset; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection."position".end_offset IS 'the log''s end when last seen; null = unknown';

--
-- Name: COLUMN "position".state; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection."position".state IS 'catching-up, live, replacing, waiting, refused or stopped';

--
-- Name: COLUMN "position".read_at; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection."position".read_at IS 'when the log was last read to its end, or reading it began; null = unknown';

--
-- Name: COLUMN "position".resync_from; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection."position".resync_from IS 'position where a resync began that is not done; null = none';

--
-- Name: COLUMN "position".state_detail; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection."position".state_detail IS 'why a log is not followed now; null = nothing to say';

--
-- Name: COLUMN "position".rebuilds; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection."position".rebuilds IS 'rebuilds of the log: a projector that loaded its state before the last one must load it again';

--
-- Name: refused_stream; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.refused_stream (
    stream_name text NOT NULL,
    stream_kind text NOT NULL,
    job_suffix text NOT NULL,
    job_name text NOT NULL,
    job_id text NOT NULL,
    job_bucket integer NOT NULL,
    state_detail text NOT NULL,
    heartbeat_at timestamp with time zone NOT NULL
);

--
-- Name: spark_read; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.spark_read (
    spark_read_id bigint NOT NULL,
    read_at timestamp with time zone NOT NULL,
    as_of timestamp with time zone NOT NULL,
    row_count bigint NOT NULL,
    checksum bigint NOT NULL,
    read_by text NOT NULL,
    application text NOT NULL,
    relation_name text NOT NULL,
    column_names text[] NOT NULL,
    log_ids integer[] NOT NULL,
    next_offsets bigint[] NOT NULL
);

--
-- Name: TABLE spark_read; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON TABLE eventlog.spark_read IS 'receipts: what reads of Spark showed, so that the same can be read again';

--
-- Name: COLUMN spark_read.next_offsets; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON COLUMN eventlog.spark_read.next_offsets IS 'the first offset of each of the log_ids that the read did not show';

--
-- Name: alembic_version; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.alembic_version (
    version_num character varying(32) NOT NULL
);

--
-- Name: held_name; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.held_name (
    name text NOT NULL
);

--
-- Name: log_log_id_seq; Type: SEQUENCE; Schema: eventlog; Owner: -
--

ALTER TABLE eventlog.log ALTER COLUMN log_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME eventlog.log_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: observation_observation_id_seq; Type: SEQUENCE; Schema: eventlog; Owner: -
--

ALTER TABLE eventlog.observation ALTER COLUMN observation_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME eventlog.observation_observation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: relation_object; Type: TABLE; Schema: eventlog; Owner: -
--

CREATE TABLE eventlog.relation_object (
    object text NOT NULL
);

--
-- Name: TABLE relation_object; Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON TABLE eventlog.relation_object IS 'the views and functions that a migration created: the next one replaces these, and no others';

--
-- Name: spark_read_spark_read_id_seq; Type: SEQUENCE; Schema: eventlog; Owner: -
--

ALTER TABLE eventlog.spark_read ALTER COLUMN spark_read_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME eventlog.spark_read_spark_read_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: checkpoint_event_from_0; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.checkpoint_event_from_0 (
    log_offset bigint CONSTRAINT checkpoint_event_log_offset_not_null NOT NULL,
    record_time timestamp with time zone,
    layout_id bigint,
    other_version_time timestamp with time zone,
    log_id integer CONSTRAINT checkpoint_event_log_id_not_null NOT NULL,
    key_id integer CONSTRAINT checkpoint_event_key_id_not_null NOT NULL,
    value_bytes integer,
    checkpoint_id text,
    offsets text,
    offsets_odd text[]
);

--
-- Name: stream_holder; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.stream_holder (
    stream_name text NOT NULL,
    lock_id integer NOT NULL,
    backend_pid integer NOT NULL,
    taken_at timestamp with time zone NOT NULL
);

--
-- Name: COLUMN stream_holder.lock_id; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.stream_holder.lock_id IS 'second key of the advisory lock that the session holds';

--
-- Name: COLUMN stream_holder.backend_pid; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.stream_holder.backend_pid IS 'the session that took the stream last; it may have ended';

--
-- Name: startpoint_reading; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.startpoint_reading (
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    n integer NOT NULL,
    partition_id integer NOT NULL,
    system_name text NOT NULL,
    stream_name text NOT NULL,
    task_name text
);

--
-- Name: checkpoint_event_from_0; Type: TABLE ATTACH; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.checkpoint_event ATTACH PARTITION projection.checkpoint_event_from_0 FOR VALUES FROM ('0') TO ('10000000');

--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);

--
-- Name: event pk_event; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.event
    ADD CONSTRAINT pk_event PRIMARY KEY (log_id, log_offset);

--
-- Name: held_name pk_held_name; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.held_name
    ADD CONSTRAINT pk_held_name PRIMARY KEY (name);

--
-- Name: horizon pk_horizon; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.horizon
    ADD CONSTRAINT pk_horizon PRIMARY KEY (log_id, retention_number);

--
-- Name: input_bound pk_input_bound; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.input_bound
    ADD CONSTRAINT pk_input_bound PRIMARY KEY (job_suffix, system_name, stream_name, partition_id, observed_at) INCLUDE (end_offset);

--
-- Name: log pk_log; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.log
    ADD CONSTRAINT pk_log PRIMARY KEY (log_id);

--
-- Name: log_head pk_log_head; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.log_head
    ADD CONSTRAINT pk_log_head PRIMARY KEY (log_id);

--
-- Name: observation pk_observation; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.observation
    ADD CONSTRAINT pk_observation PRIMARY KEY (observation_id);

--
-- Name: relation_object pk_relation_object; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.relation_object
    ADD CONSTRAINT pk_relation_object PRIMARY KEY (object);

--
-- Name: retired_stream pk_retired_stream; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.retired_stream
    ADD CONSTRAINT pk_retired_stream PRIMARY KEY (stream_name);

--
-- Name: spark_read pk_spark_read; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.spark_read
    ADD CONSTRAINT pk_spark_read PRIMARY KEY (spark_read_id);

--
-- Name: log uq_log_stream_name_incarnation; Type: CONSTRAINT; Schema: eventlog; Owner: -
--

ALTER TABLE ONLY eventlog.log
    ADD CONSTRAINT uq_log_stream_name_incarnation UNIQUE (stream_name, incarnation);

--
-- Name: checkpoint_event pk_checkpoint_event; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.checkpoint_event
    ADD CONSTRAINT pk_checkpoint_event PRIMARY KEY (log_id, key_id, log_offset);

--
-- Name: checkpoint_event_from_0 checkpoint_event_from_0_pkey; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.checkpoint_event_from_0
    ADD CONSTRAINT checkpoint_event_from_0_pkey PRIMARY KEY (log_id, key_id, log_offset);

--
-- Name: changelog_mapping pk_changelog_mapping; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.changelog_mapping
    ADD CONSTRAINT pk_changelog_mapping PRIMARY KEY (log_id, key_id);

--
-- Name: checkpoint pk_checkpoint; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.checkpoint
    ADD CONSTRAINT pk_checkpoint PRIMARY KEY (log_id, key_id, n);

--
-- Name: checkpoint_envelope pk_checkpoint_envelope; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.checkpoint_envelope
    ADD CONSTRAINT pk_checkpoint_envelope PRIMARY KEY (log_id, log_offset);

--
-- Name: checkpoint_layout pk_checkpoint_layout; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.checkpoint_layout
    ADD CONSTRAINT pk_checkpoint_layout PRIMARY KEY (log_id, layout_id);

--
-- Name: config pk_config; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.config
    ADD CONSTRAINT pk_config PRIMARY KEY (log_id, key_id);

--
-- Name: container_execution pk_container_execution; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.container_execution
    ADD CONSTRAINT pk_container_execution PRIMARY KEY (log_id, key_id);

--
-- Name: container_host pk_container_host; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.container_host
    ADD CONSTRAINT pk_container_host PRIMARY KEY (log_id, key_id);

--
-- Name: event_key pk_event_key; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.event_key
    ADD CONSTRAINT pk_event_key PRIMARY KEY (log_id, key_id);

--
-- Name: gap pk_gap; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.gap
    ADD CONSTRAINT pk_gap PRIMARY KEY (log_id, first_offset);

--
-- Name: job_coordinator_metadata pk_job_coordinator_metadata; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.job_coordinator_metadata
    ADD CONSTRAINT pk_job_coordinator_metadata PRIMARY KEY (log_id, key_id);

--
-- Name: job_log pk_job_log; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.job_log
    ADD CONSTRAINT pk_job_log PRIMARY KEY (log_id);

--
-- Name: log_time pk_log_time; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.log_time
    ADD CONSTRAINT pk_log_time PRIMARY KEY (log_id, log_offset);

--
-- Name: message_event pk_message_event; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.message_event
    ADD CONSTRAINT pk_message_event PRIMARY KEY (log_id, key_id, log_offset);

--
-- Name: other_message pk_other_message; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.other_message
    ADD CONSTRAINT pk_other_message PRIMARY KEY (log_id, key_id);

--
-- Name: pending_startpoint pk_pending_startpoint; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.pending_startpoint
    ADD CONSTRAINT pk_pending_startpoint PRIMARY KEY (log_id, key_id);

--
-- Name: position pk_position; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection."position"
    ADD CONSTRAINT pk_position PRIMARY KEY (log_id);

--
-- Name: quarantine pk_quarantine; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.quarantine
    ADD CONSTRAINT pk_quarantine PRIMARY KEY (log_id, log_offset);

--
-- Name: refused_stream pk_refused_stream; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.refused_stream
    ADD CONSTRAINT pk_refused_stream PRIMARY KEY (stream_name);

--
-- Name: startpoint_fan_out pk_startpoint_fan_out; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.startpoint_fan_out
    ADD CONSTRAINT pk_startpoint_fan_out PRIMARY KEY (log_id, key_id, n);

--
-- Name: startpoint_reading pk_startpoint_reading; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.startpoint_reading
    ADD CONSTRAINT pk_startpoint_reading PRIMARY KEY (log_id, key_id, n);

--
-- Name: state_checkpoint pk_state_checkpoint; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.state_checkpoint
    ADD CONSTRAINT pk_state_checkpoint PRIMARY KEY (log_id, key_id, n);

--
-- Name: stream_holder pk_stream_holder; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.stream_holder
    ADD CONSTRAINT pk_stream_holder PRIMARY KEY (stream_name);

--
-- Name: suspect_checkpoint pk_suspect_checkpoint; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.suspect_checkpoint
    ADD CONSTRAINT pk_suspect_checkpoint PRIMARY KEY (log_id, log_offset, key_id);

--
-- Name: task_container pk_task_container; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.task_container
    ADD CONSTRAINT pk_task_container PRIMARY KEY (log_id, key_id);

--
-- Name: task_mode pk_task_mode; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.task_mode
    ADD CONSTRAINT pk_task_mode PRIMARY KEY (log_id, key_id);

--
-- Name: task_partition pk_task_partition; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.task_partition
    ADD CONSTRAINT pk_task_partition PRIMARY KEY (log_id, key_id, n);

--
-- Name: event_key uq_event_key_log_id_key_sha256; Type: CONSTRAINT; Schema: projection; Owner: -
--

ALTER TABLE ONLY projection.event_key
    ADD CONSTRAINT uq_event_key_log_id_key_sha256 UNIQUE (log_id, key_sha256);

--
-- Name: ix_observation_log_id_at_offset; Type: INDEX; Schema: eventlog; Owner: -
--

CREATE INDEX ix_observation_log_id_at_offset ON eventlog.observation USING btree (log_id, at_offset);

--
-- Name: ix_spark_read_log_ids; Type: INDEX; Schema: eventlog; Owner: -
--

CREATE INDEX ix_spark_read_log_ids ON eventlog.spark_read USING gin (log_ids);

--
-- Name: ix_spark_read_read_by_read_at; Type: INDEX; Schema: eventlog; Owner: -
--

CREATE INDEX ix_spark_read_read_by_read_at ON eventlog.spark_read USING btree (read_by, read_at);

--
-- Name: ix_event_key_log_id_message_type_start; Type: INDEX; Schema: projection; Owner: -
--

CREATE INDEX ix_event_key_log_id_message_type_start ON projection.event_key USING btree (log_id, message_type, "left"(message_key, 100) text_pattern_ops) WHERE (NOT is_other);

--
-- Name: ix_job_log_job_name_job_id; Type: INDEX; Schema: projection; Owner: -
--

CREATE INDEX ix_job_log_job_name_job_id ON projection.job_log USING btree (job_name, job_id);

--
-- Name: ix_job_log_job_suffix; Type: INDEX; Schema: projection; Owner: -
--

CREATE INDEX ix_job_log_job_suffix ON projection.job_log USING btree (job_suffix);

--
-- Name: ix_log_time_log_id_log_time_log_offset; Type: INDEX; Schema: projection; Owner: -
--

CREATE INDEX ix_log_time_log_id_log_time_log_offset ON projection.log_time USING btree (log_id, log_time, log_offset);

--
-- Name: ix_message_event_log_id_log_offset; Type: INDEX; Schema: projection; Owner: -
--

CREATE INDEX ix_message_event_log_id_log_offset ON projection.message_event USING btree (log_id, log_offset);

--
-- Name: ix_quarantine_log_id_key_id; Type: INDEX; Schema: projection; Owner: -
--

CREATE INDEX ix_quarantine_log_id_key_id ON projection.quarantine USING btree (log_id, key_id) WHERE (resolved_by IS NULL);

--
-- Name: checkpoint_event_from_0_pkey; Type: INDEX ATTACH; Schema: projection; Owner: -
--

ALTER INDEX projection.pk_checkpoint_event ATTACH PARTITION projection.checkpoint_event_from_0_pkey;

--
-- Name: event append_only; Type: TRIGGER; Schema: eventlog; Owner: -
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON eventlog.event FOR EACH ROW EXECUTE FUNCTION eventlog.refuse();

--
-- Name: observation append_only; Type: TRIGGER; Schema: eventlog; Owner: -
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON eventlog.observation FOR EACH ROW EXECUTE FUNCTION eventlog.refuse();

--
-- Name: event no_truncate; Type: TRIGGER; Schema: eventlog; Owner: -
--

CREATE TRIGGER no_truncate BEFORE TRUNCATE ON eventlog.event FOR EACH STATEMENT EXECUTE FUNCTION eventlog.refuse();

--
-- Name: observation no_truncate; Type: TRIGGER; Schema: eventlog; Owner: -
--

CREATE TRIGGER no_truncate BEFORE TRUNCATE ON eventlog.observation FOR EACH STATEMENT EXECUTE FUNCTION eventlog.refuse();

--
-- Name: SCHEMA coordinator; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA coordinator TO coordstream_reader;
GRANT USAGE ON SCHEMA coordinator TO coordstream_replayer;

--
-- Name: SCHEMA eventlog; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA eventlog TO coordstream_replayer;
GRANT USAGE ON SCHEMA eventlog TO coordstream_writer;

--
-- Name: SCHEMA projection; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA projection TO coordstream_reader;
GRANT USAGE ON SCHEMA projection TO coordstream_replayer;

--
-- Name: FUNCTION changelog_assignment(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.changelog_assignment(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.changelog_assignment(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.changelog_assignment(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION changelog_moved(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.changelog_moved(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.changelog_moved(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.changelog_moved(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_log_at(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_log_at(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_log_at(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_log_at(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION config_event(log_id integer, config_key text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.config_event(log_id integer, config_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.config_event(log_id integer, config_key text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.config_event(log_id integer, config_key text) TO coordstream_replayer;

--
-- Name: FUNCTION duration_text(duration interval); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.duration_text(duration interval) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.duration_text(duration interval) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.duration_text(duration interval) TO coordstream_replayer;

--
-- Name: TABLE checkpoint_event; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.checkpoint_event TO coordstream_reader;
GRANT SELECT ON TABLE projection.checkpoint_event TO coordstream_replayer;

--
-- Name: FUNCTION earlier_checkpoint(log_id integer, key_id integer, log_offset bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.earlier_checkpoint(log_id integer, key_id integer, log_offset bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.earlier_checkpoint(log_id integer, key_id integer, log_offset bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.earlier_checkpoint(log_id integer, key_id integer, log_offset bigint) TO coordstream_replayer;

--
-- Name: FUNCTION grouping_changed(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.grouping_changed(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.grouping_changed(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.grouping_changed(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION is_changelog(checkpoint_version integer, system_name text, stream_name text, changelogs text[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_changelog(checkpoint_version integer, system_name text, stream_name text, changelogs text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_changelog(checkpoint_version integer, system_name text, stream_name text, changelogs text[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_changelog(checkpoint_version integer, system_name text, stream_name text, changelogs text[]) TO coordstream_replayer;

--
-- Name: FUNCTION is_outdated(record_time timestamp with time zone, other_record_time timestamp with time zone, max_age interval); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_outdated(record_time timestamp with time zone, other_record_time timestamp with time zone, max_age interval) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_outdated(record_time timestamp with time zone, other_record_time timestamp with time zone, max_age interval) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_outdated(record_time timestamp with time zone, other_record_time timestamp with time zone, max_age interval) TO coordstream_replayer;

--
-- Name: FUNCTION is_preferred(checkpoint_version integer, record_time timestamp with time zone, other_version_time timestamp with time zone, versions integer[], lower_version integer, max_age interval); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_preferred(checkpoint_version integer, record_time timestamp with time zone, other_version_time timestamp with time zone, versions integer[], lower_version integer, max_age interval) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_preferred(checkpoint_version integer, record_time timestamp with time zone, other_version_time timestamp with time zone, versions integer[], lower_version integer, max_age interval) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_preferred(checkpoint_version integer, record_time timestamp with time zone, other_version_time timestamp with time zone, versions integer[], lower_version integer, max_age interval) TO coordstream_replayer;

--
-- Name: FUNCTION is_rewind_requested(log_id integer, task_name text, system_name text, stream_name text, partition_id integer, after timestamp with time zone, until timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_rewind_requested(log_id integer, task_name text, system_name text, stream_name text, partition_id integer, after timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_rewind_requested(log_id integer, task_name text, system_name text, stream_name text, partition_id integer, after timestamp with time zone, until timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_rewind_requested(log_id integer, task_name text, system_name text, stream_name text, partition_id integer, after timestamp with time zone, until timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION lowered_changelog(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.lowered_changelog(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.lowered_changelog(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.lowered_changelog(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]) TO coordstream_replayer;

--
-- Name: FUNCTION lowered_choice(coordinator_log integer, log_offset bigint, checkpoint_log integer, checkpoint_cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.lowered_choice(coordinator_log integer, log_offset bigint, checkpoint_log integer, checkpoint_cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.lowered_choice(coordinator_log integer, log_offset bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.lowered_choice(coordinator_log integer, log_offset bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION lowered_partition(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.lowered_partition(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.lowered_partition(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.lowered_partition(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]) TO coordstream_replayer;

--
-- Name: FUNCTION partition_text(system_name text, stream_name text, partition_id integer, key_bucket integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.partition_text(system_name text, stream_name text, partition_id integer, key_bucket integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.partition_text(system_name text, stream_name text, partition_id integer, key_bucket integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.partition_text(system_name text, stream_name text, partition_id integer, key_bucket integer) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_removed(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_removed(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_removed(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_removed(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION state_change(log_id integer, task_name text, checkpoint_version integer, log_offset bigint, store_name text, factory_name text, marker text, changelog_system text, changelog_stream text, changelog_partition integer, changelog_offset text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.state_change(log_id integer, task_name text, checkpoint_version integer, log_offset bigint, store_name text, factory_name text, marker text, changelog_system text, changelog_stream text, changelog_partition integer, changelog_offset text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.state_change(log_id integer, task_name text, checkpoint_version integer, log_offset bigint, store_name text, factory_name text, marker text, changelog_system text, changelog_stream text, changelog_partition integer, changelog_offset text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.state_change(log_id integer, task_name text, checkpoint_version integer, log_offset bigint, store_name text, factory_name text, marker text, changelog_system text, changelog_stream text, changelog_partition integer, changelog_offset text) TO coordstream_replayer;

--
-- Name: FUNCTION time_between(earlier timestamp with time zone, later timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.time_between(earlier timestamp with time zone, later timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.time_between(earlier timestamp with time zone, later timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.time_between(earlier timestamp with time zone, later timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION unconsumed_startpoint(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.unconsumed_startpoint(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.unconsumed_startpoint(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.unconsumed_startpoint(log_id integer) TO coordstream_replayer;

--
-- Name: TABLE horizon; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.horizon TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.horizon TO coordstream_writer;

--
-- Name: TABLE job_log; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.job_log TO coordstream_reader;
GRANT SELECT ON TABLE projection.job_log TO coordstream_replayer;

--
-- Name: TABLE anomaly_changelog_remapped; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_changelog_remapped TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_changelog_remapped TO coordstream_replayer;

--
-- Name: TABLE anomaly_changelog_shared; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_changelog_shared TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_changelog_shared TO coordstream_replayer;

--
-- Name: TABLE checkpoint_envelope; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.checkpoint_envelope TO coordstream_reader;
GRANT SELECT ON TABLE projection.checkpoint_envelope TO coordstream_replayer;

--
-- Name: TABLE event_key; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.event_key TO coordstream_reader;
GRANT SELECT ON TABLE projection.event_key TO coordstream_replayer;

--
-- Name: TABLE commit; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.commit TO coordstream_reader;
GRANT SELECT ON TABLE projection.commit TO coordstream_replayer;

--
-- Name: TABLE suspect_checkpoint; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.suspect_checkpoint TO coordstream_reader;
GRANT SELECT ON TABLE projection.suspect_checkpoint TO coordstream_replayer;

--
-- Name: TABLE suspect_commit; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.suspect_commit TO coordstream_reader;
GRANT SELECT ON TABLE projection.suspect_commit TO coordstream_replayer;

--
-- Name: TABLE anomaly_checkpoint_moved_back; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_checkpoint_moved_back TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_checkpoint_moved_back TO coordstream_replayer;

--
-- Name: TABLE anomaly_read_versions; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_read_versions TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_read_versions TO coordstream_replayer;

--
-- Name: TABLE anomaly_startpoint_ignored; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_startpoint_ignored TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_startpoint_ignored TO coordstream_replayer;

--
-- Name: TABLE state_checkpoint; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.state_checkpoint TO coordstream_reader;
GRANT SELECT ON TABLE projection.state_checkpoint TO coordstream_replayer;

--
-- Name: TABLE anomaly_state_backends_disagree; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_state_backends_disagree TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_state_backends_disagree TO coordstream_replayer;

--
-- Name: TABLE anomaly_state_behind_inputs; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_state_behind_inputs TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_state_behind_inputs TO coordstream_replayer;

--
-- Name: TABLE anomaly_state_markers_disagree; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_state_markers_disagree TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_state_markers_disagree TO coordstream_replayer;

--
-- Name: TABLE anomaly_two_job_names; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_two_job_names TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_two_job_names TO coordstream_replayer;

--
-- Name: TABLE anomaly_unread_checkpoint; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_unread_checkpoint TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_unread_checkpoint TO coordstream_replayer;

--
-- Name: TABLE anomaly_write_once_changed; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.anomaly_write_once_changed TO coordstream_reader;
GRANT SELECT ON TABLE projection.anomaly_write_once_changed TO coordstream_replayer;

--
-- Name: TABLE log_horizon; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.log_horizon TO coordstream_reader;
GRANT SELECT ON TABLE projection.log_horizon TO coordstream_replayer;

--
-- Name: TABLE anomaly; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.anomaly TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.anomaly TO coordstream_replayer;

--
-- Name: FUNCTION anomaly_between(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.anomaly_between(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.anomaly_between(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.anomaly_between(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) TO coordstream_replayer;

--
-- Name: TABLE changelog_mapping; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.changelog_mapping TO coordstream_reader;
GRANT SELECT ON TABLE projection.changelog_mapping TO coordstream_replayer;

--
-- Name: TABLE changelog_mapping; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.changelog_mapping TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.changelog_mapping TO coordstream_replayer;

--
-- Name: FUNCTION changelog_mapping_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.changelog_mapping_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.changelog_mapping_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.changelog_mapping_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION changelog_mapping_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.changelog_mapping_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.changelog_mapping_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.changelog_mapping_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: TABLE checkpoint; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.checkpoint TO coordstream_reader;
GRANT SELECT ON TABLE projection.checkpoint TO coordstream_replayer;

--
-- Name: TABLE checkpoint; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.checkpoint TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.checkpoint TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: TABLE config; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.config TO coordstream_reader;
GRANT SELECT ON TABLE projection.config TO coordstream_replayer;

--
-- Name: TABLE config; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.config TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.config TO coordstream_replayer;

--
-- Name: FUNCTION config_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.config_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.config_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.config_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION config_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.config_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.config_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.config_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: TABLE container_execution; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.container_execution TO coordstream_reader;
GRANT SELECT ON TABLE projection.container_execution TO coordstream_replayer;

--
-- Name: TABLE container_execution; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.container_execution TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.container_execution TO coordstream_replayer;

--
-- Name: FUNCTION container_execution_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.container_execution_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.container_execution_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.container_execution_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION container_execution_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.container_execution_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.container_execution_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.container_execution_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: TABLE container_host; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.container_host TO coordstream_reader;
GRANT SELECT ON TABLE projection.container_host TO coordstream_replayer;

--
-- Name: TABLE container_host; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.container_host TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.container_host TO coordstream_replayer;

--
-- Name: FUNCTION container_host_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.container_host_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.container_host_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.container_host_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION container_host_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.container_host_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.container_host_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.container_host_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: FUNCTION explain(job_name text, job_id text, task_name text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.explain(job_name text, job_id text, task_name text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.explain(job_name text, job_id text, task_name text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.explain(job_name text, job_id text, task_name text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION fingerprint(job_name text, job_id text); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.fingerprint(job_name text, job_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.fingerprint(job_name text, job_id text) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.fingerprint(job_name text, job_id text) TO coordstream_replayer;

--
-- Name: FUNCTION input_offset_at(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.input_offset_at(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.input_offset_at(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.input_offset_at(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: TABLE job_coordinator_metadata; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.job_coordinator_metadata TO coordstream_reader;
GRANT SELECT ON TABLE projection.job_coordinator_metadata TO coordstream_replayer;

--
-- Name: TABLE job_coordinator_metadata; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.job_coordinator_metadata TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.job_coordinator_metadata TO coordstream_replayer;

--
-- Name: FUNCTION job_coordinator_metadata_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.job_coordinator_metadata_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.job_coordinator_metadata_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.job_coordinator_metadata_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION job_coordinator_metadata_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.job_coordinator_metadata_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.job_coordinator_metadata_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.job_coordinator_metadata_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: FUNCTION leave_receipt(relation_name text, column_names text[], log_ids integer[], next_offsets bigint[], as_of timestamp with time zone, row_count bigint, checksum bigint, application text); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.leave_receipt(relation_name text, column_names text[], log_ids integer[], next_offsets bigint[], as_of timestamp with time zone, row_count bigint, checksum bigint, application text) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.leave_receipt(relation_name text, column_names text[], log_ids integer[], next_offsets bigint[], as_of timestamp with time zone, row_count bigint, checksum bigint, application text) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.leave_receipt(relation_name text, column_names text[], log_ids integer[], next_offsets bigint[], as_of timestamp with time zone, row_count bigint, checksum bigint, application text) TO coordstream_replayer;

--
-- Name: TABLE checkpoint_layout; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.checkpoint_layout TO coordstream_reader;
GRANT SELECT ON TABLE projection.checkpoint_layout TO coordstream_replayer;

--
-- Name: TABLE counted_commit; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.counted_commit TO coordstream_reader;
GRANT SELECT ON TABLE projection.counted_commit TO coordstream_replayer;

--
-- Name: TABLE commit_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.commit_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.commit_history TO coordstream_replayer;

--
-- Name: FUNCTION newest_commits(job_name text, job_id text, n bigint); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.newest_commits(job_name text, job_id text, n bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.newest_commits(job_name text, job_id text, n bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.newest_commits(job_name text, job_id text, n bigint) TO coordstream_replayer;

--
-- Name: TABLE message_event; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.message_event TO coordstream_reader;
GRANT SELECT ON TABLE projection.message_event TO coordstream_replayer;

--
-- Name: TABLE quarantine; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.quarantine TO coordstream_reader;
GRANT SELECT ON TABLE projection.quarantine TO coordstream_replayer;

--
-- Name: TABLE folded_event; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.folded_event TO coordstream_reader;
GRANT SELECT ON TABLE projection.folded_event TO coordstream_replayer;

--
-- Name: TABLE log_time; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.log_time TO coordstream_reader;
GRANT SELECT ON TABLE projection.log_time TO coordstream_replayer;

--
-- Name: TABLE keyed_event; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.keyed_event TO coordstream_reader;
GRANT SELECT ON TABLE projection.keyed_event TO coordstream_replayer;

--
-- Name: TABLE event; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.event TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.event TO coordstream_replayer;

--
-- Name: FUNCTION newest_events(job_name text, job_id text, n bigint); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.newest_events(job_name text, job_id text, n bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.newest_events(job_name text, job_id text, n bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.newest_events(job_name text, job_id text, n bigint) TO coordstream_replayer;

--
-- Name: FUNCTION processing_rate(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.processing_rate(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.processing_rate(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.processing_rate(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION starting_offset_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, only_task text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.starting_offset_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, only_task text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.starting_offset_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, only_task text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.starting_offset_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, only_task text) TO coordstream_replayer;

--
-- Name: TABLE current_job; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.current_job TO coordstream_reader;
GRANT SELECT ON TABLE projection.current_job TO coordstream_replayer;

--
-- Name: TABLE starting_offset; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.starting_offset TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.starting_offset TO coordstream_replayer;

--
-- Name: FUNCTION starting_offset_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.starting_offset_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.starting_offset_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.starting_offset_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_state(log_id integer, incarnation integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_state(log_id integer, incarnation integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_state(log_id integer, incarnation integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_state(log_id integer, incarnation integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: TABLE startpoint; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.startpoint TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.startpoint TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.startpoint_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.startpoint_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.startpoint_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: TABLE startpoint_fan_out; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.startpoint_fan_out TO coordstream_reader;
GRANT SELECT ON TABLE projection.startpoint_fan_out TO coordstream_replayer;

--
-- Name: TABLE startpoint_fan_out; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.startpoint_fan_out TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.startpoint_fan_out TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_fan_out_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.startpoint_fan_out_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.startpoint_fan_out_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.startpoint_fan_out_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_fan_out_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.startpoint_fan_out_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.startpoint_fan_out_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.startpoint_fan_out_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_history_state(log_id integer, incarnation integer, cut bigint, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_history_state(log_id integer, incarnation integer, cut bigint, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_history_state(log_id integer, incarnation integer, cut bigint, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_history_state(log_id integer, incarnation integer, cut bigint, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: TABLE startpoint_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.startpoint_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.startpoint_history TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_history_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.startpoint_history_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.startpoint_history_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.startpoint_history_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: TABLE state_checkpoint; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.state_checkpoint TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.state_checkpoint TO coordstream_replayer;

--
-- Name: FUNCTION state_checkpoint_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.state_checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.state_checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.state_checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION state_checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.state_checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.state_checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.state_checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: FUNCTION state_lag_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.state_lag_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.state_lag_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.state_lag_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: TABLE state_lag; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.state_lag TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.state_lag TO coordstream_replayer;

--
-- Name: FUNCTION state_lag_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.state_lag_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.state_lag_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.state_lag_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION state_lag_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.state_lag_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.state_lag_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.state_lag_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: TABLE task_container; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.task_container TO coordstream_reader;
GRANT SELECT ON TABLE projection.task_container TO coordstream_replayer;

--
-- Name: TABLE task_container; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_container TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_container TO coordstream_replayer;

--
-- Name: FUNCTION task_container_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.task_container_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.task_container_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.task_container_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION task_container_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.task_container_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.task_container_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.task_container_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: TABLE task_mode; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.task_mode TO coordstream_reader;
GRANT SELECT ON TABLE projection.task_mode TO coordstream_replayer;

--
-- Name: TABLE task_mode; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_mode TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_mode TO coordstream_replayer;

--
-- Name: FUNCTION task_mode_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.task_mode_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.task_mode_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.task_mode_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION task_mode_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.task_mode_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.task_mode_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.task_mode_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: TABLE task_partition; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.task_partition TO coordstream_reader;
GRANT SELECT ON TABLE projection.task_partition TO coordstream_replayer;

--
-- Name: TABLE task_partition; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_partition TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_partition TO coordstream_replayer;

--
-- Name: FUNCTION task_partition_as_of(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.task_partition_as_of(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.task_partition_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.task_partition_as_of(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION task_partition_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.task_partition_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.task_partition_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.task_partition_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: FUNCTION time_of_input_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer, input_offset text); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.time_of_input_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer, input_offset text) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.time_of_input_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer, input_offset text) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.time_of_input_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer, input_offset text) TO coordstream_replayer;

--
-- Name: FUNCTION wait_for(stream_name text, log_offset bigint, timeout_ms integer); Type: ACL; Schema: coordinator; Owner: -
--

REVOKE ALL ON FUNCTION coordinator.wait_for(stream_name text, log_offset bigint, timeout_ms integer) FROM PUBLIC;
GRANT ALL ON FUNCTION coordinator.wait_for(stream_name text, log_offset bigint, timeout_ms integer) TO coordstream_reader;
GRANT ALL ON FUNCTION coordinator.wait_for(stream_name text, log_offset bigint, timeout_ms integer) TO coordstream_replayer;

--
-- Name: FUNCTION append(stream_name text, event_keys bytea[], event_values bytea[], event_times bigint[], event_headers jsonb[], expected_offset bigint, appended_at timestamp with time zone); Type: ACL; Schema: eventlog; Owner: -
--

REVOKE ALL ON FUNCTION eventlog.append(stream_name text, event_keys bytea[], event_values bytea[], event_times bigint[], event_headers jsonb[], expected_offset bigint, appended_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION eventlog.append(stream_name text, event_keys bytea[], event_values bytea[], event_times bigint[], event_headers jsonb[], expected_offset bigint, appended_at timestamp with time zone) TO coordstream_writer;

--
-- Name: FUNCTION ensure_partition(schema_name text, table_name text, first_offset bigint); Type: ACL; Schema: eventlog; Owner: -
--

REVOKE ALL ON FUNCTION eventlog.ensure_partition(schema_name text, table_name text, first_offset bigint) FROM PUBLIC;

--
-- Name: FUNCTION hold(held_name text); Type: ACL; Schema: eventlog; Owner: -
--

REVOKE ALL ON FUNCTION eventlog.hold(held_name text) FROM PUBLIC;

--
-- Name: FUNCTION refuse(); Type: ACL; Schema: eventlog; Owner: -
--

REVOKE ALL ON FUNCTION eventlog.refuse() FROM PUBLIC;

--
-- Name: FUNCTION require_headers(event_headers jsonb[]); Type: ACL; Schema: eventlog; Owner: -
--

REVOKE ALL ON FUNCTION eventlog.require_headers(event_headers jsonb[]) FROM PUBLIC;

--
-- Name: FUNCTION base_end(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.base_end(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.base_end(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.base_end(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION changelog_mapping_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.changelog_mapping_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.changelog_mapping_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.changelog_mapping_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION changelog_mapping_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.changelog_mapping_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.changelog_mapping_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.changelog_mapping_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION changelog_mapping_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.changelog_mapping_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.changelog_mapping_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.changelog_mapping_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION changelog_mapping_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.changelog_mapping_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.changelog_mapping_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.changelog_mapping_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION changelog_name(changelog text, system_name text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.changelog_name(changelog text, system_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.changelog_name(changelog text, system_name text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.changelog_name(changelog text, system_name text) TO coordstream_replayer;

--
-- Name: FUNCTION changelog_store(config_key text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.changelog_store(config_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.changelog_store(config_key text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.changelog_store(config_key text) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_before(log_id integer, task_name text, at timestamp with time zone, log_offset bigint, earlier_at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_before(log_id integer, task_name text, at timestamp with time zone, log_offset bigint, earlier_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_before(log_id integer, task_name text, at timestamp with time zone, log_offset bigint, earlier_at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_before(log_id integer, task_name text, at timestamp with time zone, log_offset bigint, earlier_at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_by(log_id integer, task_name text, at timestamp with time zone, log_offset bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_by(log_id integer, task_name text, at timestamp with time zone, log_offset bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_by(log_id integer, task_name text, at timestamp with time zone, log_offset bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_by(log_id integer, task_name text, at timestamp with time zone, log_offset bigint) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_choice(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[], by_log boolean); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_choice(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[], by_log boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_choice(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[], by_log boolean) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_choice(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[], by_log boolean) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_head(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_head(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_head(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_head(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION offset_number(input_offset text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.offset_number(input_offset text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.offset_number(input_offset text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.offset_number(input_offset text) TO coordstream_replayer;

--
-- Name: FUNCTION opened_input(layout projection.checkpoint_layout, offsets text, offsets_odd text[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.opened_input(layout projection.checkpoint_layout, offsets text, offsets_odd text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.opened_input(layout projection.checkpoint_layout, offsets text, offsets_odd text[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.opened_input(layout projection.checkpoint_layout, offsets text, offsets_odd text[]) TO coordstream_replayer;

--
-- Name: TABLE checkpoint_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.checkpoint_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.checkpoint_history TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_key(log_id integer, task_name text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_key(log_id integer, task_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_key(log_id integer, task_name text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_key(log_id integer, task_name text) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_rule(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_rule(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_rule(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_rule(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_settings(); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_settings() FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_settings() TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_settings() TO coordstream_replayer;

--
-- Name: FUNCTION checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION checkpointed_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.checkpointed_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.checkpointed_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.checkpointed_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text) TO coordstream_replayer;

--
-- Name: FUNCTION chosen_offset(log_id integer, log_offset bigint, checkpoint_version integer, layout_id bigint, offsets text, offsets_odd text[], changelogs text[], store_names text[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.chosen_offset(log_id integer, log_offset bigint, checkpoint_version integer, layout_id bigint, offsets text, offsets_odd text[], changelogs text[], store_names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.chosen_offset(log_id integer, log_offset bigint, checkpoint_version integer, layout_id bigint, offsets text, offsets_odd text[], changelogs text[], store_names text[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.chosen_offset(log_id integer, log_offset bigint, checkpoint_version integer, layout_id bigint, offsets text, offsets_odd text[], changelogs text[], store_names text[]) TO coordstream_replayer;

--
-- Name: FUNCTION commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION commit_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.commit_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.commit_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.commit_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION config_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.config_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.config_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.config_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION config_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.config_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.config_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.config_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION config_deployment_event(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.config_deployment_event(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.config_deployment_event(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.config_deployment_event(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION config_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.config_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.config_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.config_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION config_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.config_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.config_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.config_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION config_value_at(log_id integer, config_key text, until timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.config_value_at(log_id integer, config_key text, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.config_value_at(log_id integer, config_key text, until timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.config_value_at(log_id integer, config_key text, until timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION container_execution_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.container_execution_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.container_execution_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.container_execution_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION container_execution_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.container_execution_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.container_execution_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.container_execution_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION container_execution_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.container_execution_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.container_execution_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.container_execution_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION container_execution_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.container_execution_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.container_execution_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.container_execution_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION container_host_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.container_host_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.container_host_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.container_host_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION container_host_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.container_host_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.container_host_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.container_host_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION container_host_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.container_host_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.container_host_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.container_host_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION container_host_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.container_host_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.container_host_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.container_host_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION counted_commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.counted_commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.counted_commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.counted_commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION decides_checkpoints(config_key text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.decides_checkpoints(config_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.decides_checkpoints(config_key text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.decides_checkpoints(config_key text) TO coordstream_replayer;

--
-- Name: FUNCTION explain_checkpoints(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, task_name text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.explain_checkpoints(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, task_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.explain_checkpoints(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, task_name text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.explain_checkpoints(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, task_name text) TO coordstream_replayer;

--
-- Name: FUNCTION explain_starting_offsets(coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint, task_name text, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.explain_starting_offsets(coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint, task_name text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.explain_starting_offsets(coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint, task_name text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.explain_starting_offsets(coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint, task_name text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION explain_startpoints(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, task_name text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.explain_startpoints(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, task_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.explain_startpoints(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, task_name text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.explain_startpoints(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, task_name text) TO coordstream_replayer;

--
-- Name: FUNCTION fan_out_change(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.fan_out_change(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.fan_out_change(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.fan_out_change(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION hold_job(suffix text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.hold_job(suffix text) FROM PUBLIC;

--
-- Name: FUNCTION input_lag(job_suffix text, system_name text, stream_name text, partition_id integer, next_offset bigint, committed_at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.input_lag(job_suffix text, system_name text, stream_name text, partition_id integer, next_offset bigint, committed_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.input_lag(job_suffix text, system_name text, stream_name text, partition_id integer, next_offset bigint, committed_at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.input_lag(job_suffix text, system_name text, stream_name text, partition_id integer, next_offset bigint, committed_at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION is_assigned(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_assigned(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_assigned(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_assigned(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION is_expired(created_ms bigint, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_expired(created_ms bigint, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_expired(created_ms bigint, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_expired(created_ms bigint, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION is_id_of(log_id integer, stream_id text, system_name text, stream_name text, until timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_id_of(log_id integer, stream_id text, system_name text, stream_name text, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_id_of(log_id integer, stream_id text, system_name text, stream_name text, until timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_id_of(log_id integer, stream_id text, system_name text, stream_name text, until timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION is_input(config jsonb, system_name text, stream_name text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_input(config jsonb, system_name text, stream_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_input(config jsonb, system_name text, stream_name text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_input(config jsonb, system_name text, stream_name text) TO coordstream_replayer;

--
-- Name: FUNCTION is_lost(state text, heartbeat_at timestamp with time zone, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_lost(state text, heartbeat_at timestamp with time zone, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_lost(state text, heartbeat_at timestamp with time zone, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_lost(state text, heartbeat_at timestamp with time zone, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION is_read_now(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.is_read_now(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.is_read_now(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.is_read_now(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION job_at(job_name text, job_id text, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_at(job_name text, job_id text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_at(job_name text, job_id text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_at(job_name text, job_id text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION job_at_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_at_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_at_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_at_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) TO coordstream_replayer;

--
-- Name: FUNCTION job_coordinator_metadata_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_coordinator_metadata_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_coordinator_metadata_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_coordinator_metadata_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION job_coordinator_metadata_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_coordinator_metadata_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_coordinator_metadata_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_coordinator_metadata_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION job_coordinator_metadata_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_coordinator_metadata_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_coordinator_metadata_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_coordinator_metadata_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION job_coordinator_metadata_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_coordinator_metadata_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_coordinator_metadata_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_coordinator_metadata_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION job_input(config jsonb); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_input(config jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_input(config jsonb) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_input(config jsonb) TO coordstream_replayer;

--
-- Name: FUNCTION job_log_span(job_name text, job_id text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_log_span(job_name text, job_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_log_span(job_name text, job_id text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_log_span(job_name text, job_id text) TO coordstream_replayer;

--
-- Name: FUNCTION job_task(coordinator_log integer, checkpoint_log integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.job_task(coordinator_log integer, checkpoint_log integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.job_task(coordinator_log integer, checkpoint_log integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.job_task(coordinator_log integer, checkpoint_log integer) TO coordstream_replayer;

--
-- Name: FUNCTION just_before(at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.just_before(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.just_before(at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.just_before(at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION keep_changelog_mapping(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_changelog_mapping(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_checkpoints(of_log integer, touched integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_checkpoints(of_log integer, touched integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_checkpoints_of_job(suffix text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_checkpoints_of_job(suffix text) FROM PUBLIC;

--
-- Name: FUNCTION keep_chosen(of_log integer, coordinator_log integer, checkpoint_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_chosen(of_log integer, coordinator_log integer, checkpoint_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_config(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_config(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_container_execution(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_container_execution(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_container_host(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_container_host(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_current(of_log integer, messages integer[], checkpoints integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_current(of_log integer, messages integer[], checkpoints integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_job_coordinator_metadata(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_job_coordinator_metadata(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_messages(of_log integer, of_keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_messages(of_log integer, of_keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_next(of_log integer, INOUT keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_next(of_log integer, INOUT keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_other_message(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_other_message(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_pending_startpoint(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_pending_startpoint(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_startpoint_fan_out(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_startpoint_fan_out(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_task_container(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_task_container(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_task_mode(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_task_mode(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_task_partition(of_log integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keep_task_partition(of_log integer, keys integer[]) FROM PUBLIC;

--
-- Name: FUNCTION keys_of(log_id integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.keys_of(log_id integer, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.keys_of(log_id integer, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.keys_of(log_id integer, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION lock_stream(of_stream text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.lock_stream(of_stream text) FROM PUBLIC;

--
-- Name: FUNCTION log_begins_at(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.log_begins_at(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.log_begins_at(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.log_begins_at(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION log_bound(log_id integer, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.log_bound(log_id integer, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.log_bound(log_id integer, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.log_bound(log_id integer, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION log_cut(log_id integer, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.log_cut(log_id integer, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.log_cut(log_id integer, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.log_cut(log_id integer, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION log_shown(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.log_shown(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.log_shown(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.log_shown(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION log_shown_at(job_suffix text, stream_kind text, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.log_shown_at(job_suffix text, stream_kind text, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.log_shown_at(job_suffix text, stream_kind text, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.log_shown_at(job_suffix text, stream_kind text, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION log_time_at(log_id integer, log_offset bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.log_time_at(log_id integer, log_offset bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.log_time_at(log_id integer, log_offset bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.log_time_at(log_id integer, log_offset bigint) TO coordstream_replayer;

--
-- Name: FUNCTION log_validity(log_id integer, from_offset bigint, to_offset bigint, since timestamp with time zone, until timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.log_validity(log_id integer, from_offset bigint, to_offset bigint, since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.log_validity(log_id integer, from_offset bigint, to_offset bigint, since timestamp with time zone, until timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.log_validity(log_id integer, from_offset bigint, to_offset bigint, since timestamp with time zone, until timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION lost_after(); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.lost_after() FROM PUBLIC;
GRANT ALL ON FUNCTION projection.lost_after() TO coordstream_reader;
GRANT ALL ON FUNCTION projection.lost_after() TO coordstream_replayer;

--
-- Name: FUNCTION max_age(config_value text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.max_age(config_value text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.max_age(config_value text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.max_age(config_value text) TO coordstream_replayer;

--
-- Name: FUNCTION message_change(log_id integer, message_type text, message_key text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.message_change(log_id integer, message_type text, message_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.message_change(log_id integer, message_type text, message_key text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.message_change(log_id integer, message_type text, message_key text) TO coordstream_replayer;

--
-- Name: FUNCTION message_head(log_id integer, cut bigint, message_type text, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.message_head(log_id integer, cut bigint, message_type text, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.message_head(log_id integer, cut bigint, message_type text, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.message_head(log_id integer, cut bigint, message_type text, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION message_validity(log_id integer, message_type text, since timestamp with time zone, until timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.message_validity(log_id integer, message_type text, since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.message_validity(log_id integer, message_type text, since timestamp with time zone, until timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.message_validity(log_id integer, message_type text, since timestamp with time zone, until timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION move_position(of_log integer, of_rebuild integer, from_offset bigint, to_offset bigint, notice text, rows jsonb); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.move_position(of_log integer, of_rebuild integer, from_offset bigint, to_offset bigint, notice text, rows jsonb) FROM PUBLIC;

--
-- Name: FUNCTION newest_bound(job_suffix text, system_name text, stream_name text, partition_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.newest_bound(job_suffix text, system_name text, stream_name text, partition_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.newest_bound(job_suffix text, system_name text, stream_name text, partition_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.newest_bound(job_suffix text, system_name text, stream_name text, partition_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION newest_grouper(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.newest_grouper(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.newest_grouper(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.newest_grouper(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION next_checkpoint(log_id integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.next_checkpoint(log_id integer, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.next_checkpoint(log_id integer, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.next_checkpoint(log_id integer, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION next_offset(input_offset_number bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.next_offset(input_offset_number bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.next_offset(input_offset_number bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.next_offset(input_offset_number bigint) TO coordstream_replayer;

--
-- Name: FUNCTION offset_of(offsets text, offsets_odd text[], n integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.offset_of(offsets text, offsets_odd text[], n integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.offset_of(offsets text, offsets_odd text[], n integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.offset_of(offsets text, offsets_odd text[], n integer) TO coordstream_replayer;

--
-- Name: FUNCTION offset_setting(stream_id text, system_name text, stream_name text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.offset_setting(stream_id text, system_name text, stream_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.offset_setting(stream_id text, system_name text, stream_name text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.offset_setting(stream_id text, system_name text, stream_name text) TO coordstream_replayer;

--
-- Name: FUNCTION offsets_of(offsets text, offsets_odd text[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.offsets_of(offsets text, offsets_odd text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.offsets_of(offsets text, offsets_odd text[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.offsets_of(offsets text, offsets_odd text[]) TO coordstream_replayer;

--
-- Name: FUNCTION opened(layout projection.checkpoint_layout, offsets text, offsets_odd text[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.opened(layout projection.checkpoint_layout, offsets text, offsets_odd text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.opened(layout projection.checkpoint_layout, offsets text, offsets_odd text[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.opened(layout projection.checkpoint_layout, offsets text, offsets_odd text[]) TO coordstream_replayer;

--
-- Name: TABLE other_message; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.other_message TO coordstream_reader;
GRANT SELECT ON TABLE projection.other_message TO coordstream_replayer;

--
-- Name: FUNCTION other_message_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.other_message_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.other_message_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.other_message_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION other_message_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.other_message_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.other_message_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.other_message_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION other_message_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.other_message_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.other_message_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.other_message_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION partition_offset(log_id integer, layout_id bigint, offsets text, offsets_odd text[], system_name text, stream_name text, partition_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.partition_offset(log_id integer, layout_id bigint, offsets text, offsets_odd text[], system_name text, stream_name text, partition_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.partition_offset(log_id integer, layout_id bigint, offsets text, offsets_odd text[], system_name text, stream_name text, partition_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.partition_offset(log_id integer, layout_id bigint, offsets text, offsets_odd text[], system_name text, stream_name text, partition_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION partition_offsets(log_id integer, layout_id bigint, offsets text, offsets_odd text[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.partition_offsets(log_id integer, layout_id bigint, offsets text, offsets_odd text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.partition_offsets(log_id integer, layout_id bigint, offsets text, offsets_odd text[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.partition_offsets(log_id integer, layout_id bigint, offsets text, offsets_odd text[]) TO coordstream_replayer;

--
-- Name: FUNCTION passed_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.passed_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.passed_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.passed_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION pending_startpoint(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.pending_startpoint(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.pending_startpoint(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.pending_startpoint(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_replayer;

--
-- Name: TABLE pending_startpoint; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.pending_startpoint TO coordstream_reader;
GRANT SELECT ON TABLE projection.pending_startpoint TO coordstream_replayer;

--
-- Name: FUNCTION pending_startpoint_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.pending_startpoint_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.pending_startpoint_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.pending_startpoint_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION pending_startpoint_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.pending_startpoint_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.pending_startpoint_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.pending_startpoint_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION pending_startpoint_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.pending_startpoint_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.pending_startpoint_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.pending_startpoint_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION read_log(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.read_log(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.read_log(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.read_log(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION reading_rank(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, system_name text, stream_name text, partition_id integer, task_name text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.reading_rank(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, system_name text, stream_name text, partition_id integer, task_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.reading_rank(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, system_name text, stream_name text, partition_id integer, task_name text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.reading_rank(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, system_name text, stream_name text, partition_id integer, task_name text) TO coordstream_replayer;

--
-- Name: FUNCTION receipt_job(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.receipt_job(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.receipt_job(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.receipt_job(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION retained_cut(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.retained_cut(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.retained_cut(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.retained_cut(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION retired_detail(retired_at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.retired_detail(retired_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.retired_detail(retired_at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.retired_detail(retired_at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION rule_of_job(job_suffix text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.rule_of_job(job_suffix text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.rule_of_job(job_suffix text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.rule_of_job(job_suffix text) TO coordstream_replayer;

--
-- Name: FUNCTION ruled_receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.ruled_receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.ruled_receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.ruled_receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION same_checkpoint_key(log_id integer, key_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.same_checkpoint_key(log_id integer, key_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.same_checkpoint_key(log_id integer, key_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.same_checkpoint_key(log_id integer, key_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION spelling(log_id integer, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.spelling(log_id integer, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.spelling(log_id integer, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.spelling(log_id integer, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION starting_offset_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.starting_offset_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.starting_offset_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.starting_offset_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_candidate(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_candidate(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_candidate(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_candidate(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_expires_at(created_ms bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_expires_at(created_ms bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_expires_at(created_ms bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_expires_at(created_ms bigint) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_fan_out_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_fan_out_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_fan_out_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_fan_out_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_fan_out_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_fan_out_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_fan_out_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_fan_out_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_fan_out_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_fan_out_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_fan_out_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_fan_out_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_fan_out_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_fan_out_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_fan_out_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_fan_out_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_fanned_out(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_fanned_out(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_fanned_out(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_fanned_out(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_meaning(log_id integer, key_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_meaning(log_id integer, key_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_meaning(log_id integer, key_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_meaning(log_id integer, key_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_outcome(startpoint_type text, startpoint_value text, fanned_out_at timestamp with time zone, checkpoint_time timestamp with time zone, input_offset text, earlier_time timestamp with time zone, earlier_offset text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_outcome(startpoint_type text, startpoint_value text, fanned_out_at timestamp with time zone, checkpoint_time timestamp with time zone, input_offset text, earlier_time timestamp with time zone, earlier_offset text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_outcome(startpoint_type text, startpoint_value text, fanned_out_at timestamp with time zone, checkpoint_time timestamp with time zone, input_offset text, earlier_time timestamp with time zone, earlier_offset text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_outcome(startpoint_type text, startpoint_value text, fanned_out_at timestamp with time zone, checkpoint_time timestamp with time zone, input_offset text, earlier_time timestamp with time zone, earlier_offset text) TO coordstream_replayer;

--
-- Name: FUNCTION startpoint_requested(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.startpoint_requested(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.startpoint_requested(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.startpoint_requested(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION state_checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.state_checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.state_checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.state_checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION state_checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.state_checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.state_checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.state_checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: TABLE state_checkpoint_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.state_checkpoint_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.state_checkpoint_history TO coordstream_replayer;

--
-- Name: FUNCTION state_checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.state_checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.state_checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.state_checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION state_checkpoint_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.state_checkpoint_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.state_checkpoint_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.state_checkpoint_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION state_checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.state_checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.state_checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.state_checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION state_lag_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.state_lag_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.state_lag_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.state_lag_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION stream_id(config jsonb); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.stream_id(config jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.stream_id(config jsonb) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.stream_id(config jsonb) TO coordstream_replayer;

--
-- Name: FUNCTION stream_of_id(config jsonb, stream_id text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.stream_of_id(config jsonb, stream_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.stream_of_id(config jsonb, stream_id text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.stream_of_id(config jsonb, stream_id text) TO coordstream_replayer;

--
-- Name: FUNCTION task_commit(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_commit(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_commit(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_commit(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION task_container_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_container_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_container_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_container_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION task_container_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_container_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_container_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_container_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION task_container_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_container_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_container_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_container_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION task_container_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_container_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_container_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_container_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION task_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text) TO coordstream_replayer;

--
-- Name: FUNCTION task_mode_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_mode_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_mode_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_mode_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION task_mode_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_mode_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_mode_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_mode_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION task_mode_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_mode_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_mode_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_mode_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION task_mode_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_mode_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_mode_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_mode_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION task_partition_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_partition_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_partition_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_partition_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION task_partition_at(log_id integer, cut bigint, keys integer[]); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_partition_at(log_id integer, cut bigint, keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_partition_at(log_id integer, cut bigint, keys integer[]) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_partition_at(log_id integer, cut bigint, keys integer[]) TO coordstream_replayer;

--
-- Name: FUNCTION task_partition_now(log_id integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_partition_now(log_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_partition_now(log_id integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_partition_now(log_id integer) TO coordstream_replayer;

--
-- Name: FUNCTION task_partition_state(log_id integer, cut bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_partition_state(log_id integer, cut bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_partition_state(log_id integer, cut bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_partition_state(log_id integer, cut bigint) TO coordstream_replayer;

--
-- Name: FUNCTION task_position(coordinator_log integer, checkpoint_log integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_position(coordinator_log integer, checkpoint_log integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_position(coordinator_log integer, checkpoint_log integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_position(coordinator_log integer, checkpoint_log integer) TO coordstream_replayer;

--
-- Name: FUNCTION task_progress(coordinator_log integer, checkpoint_log integer); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.task_progress(coordinator_log integer, checkpoint_log integer) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.task_progress(coordinator_log integer, checkpoint_log integer) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.task_progress(coordinator_log integer, checkpoint_log integer) TO coordstream_replayer;

--
-- Name: FUNCTION time_text(at timestamp with time zone); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.time_text(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.time_text(at timestamp with time zone) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.time_text(at timestamp with time zone) TO coordstream_replayer;

--
-- Name: FUNCTION to_time(ms bigint); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.to_time(ms bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.to_time(ms bigint) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.to_time(ms bigint) TO coordstream_replayer;

--
-- Name: FUNCTION trimmed(value text); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.trimmed(value text) FROM PUBLIC;
GRANT ALL ON FUNCTION projection.trimmed(value text) TO coordstream_reader;
GRANT ALL ON FUNCTION projection.trimmed(value text) TO coordstream_replayer;

--
-- Name: FUNCTION writable_since(); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.writable_since() FROM PUBLIC;
GRANT ALL ON FUNCTION projection.writable_since() TO coordstream_reader;
GRANT ALL ON FUNCTION projection.writable_since() TO coordstream_replayer;

--
-- Name: FUNCTION write_once_default(); Type: ACL; Schema: projection; Owner: -
--

REVOKE ALL ON FUNCTION projection.write_once_default() FROM PUBLIC;
GRANT ALL ON FUNCTION projection.write_once_default() TO coordstream_reader;
GRANT ALL ON FUNCTION projection.write_once_default() TO coordstream_replayer;

--
-- Name: TABLE message_history; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.message_history TO coordstream_reader;
GRANT SELECT ON TABLE projection.message_history TO coordstream_replayer;

--
-- Name: TABLE changelog_mapping_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.changelog_mapping_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.changelog_mapping_history TO coordstream_replayer;

--
-- Name: TABLE config_change; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.config_change TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.config_change TO coordstream_replayer;

--
-- Name: TABLE config_deployment; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.config_deployment TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.config_deployment TO coordstream_replayer;

--
-- Name: TABLE config_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.config_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.config_history TO coordstream_replayer;

--
-- Name: TABLE config_validity; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.config_validity TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.config_validity TO coordstream_replayer;

--
-- Name: TABLE container_execution_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.container_execution_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.container_execution_history TO coordstream_replayer;

--
-- Name: TABLE container_host_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.container_host_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.container_host_history TO coordstream_replayer;

--
-- Name: TABLE container_host_validity; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.container_host_validity TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.container_host_validity TO coordstream_replayer;

--
-- Name: TABLE input_bound; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.input_bound TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.input_bound TO coordstream_writer;

--
-- Name: TABLE observed_input; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.observed_input TO coordstream_reader;
GRANT SELECT ON TABLE projection.observed_input TO coordstream_replayer;

--
-- Name: TABLE input_bound; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.input_bound TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.input_bound TO coordstream_replayer;

--
-- Name: TABLE event; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.event TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.event TO coordstream_writer;

--
-- Name: TABLE archived_event; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.archived_event TO coordstream_reader;
GRANT SELECT ON TABLE projection.archived_event TO coordstream_replayer;

--
-- Name: TABLE job; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.job TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.job TO coordstream_replayer;

--
-- Name: TABLE job_coordinator_metadata_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.job_coordinator_metadata_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.job_coordinator_metadata_history TO coordstream_replayer;

--
-- Name: TABLE observation; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.observation TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.observation TO coordstream_writer;

--
-- Name: TABLE gap; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.gap TO coordstream_reader;
GRANT SELECT ON TABLE projection.gap TO coordstream_replayer;

--
-- Name: TABLE log_gap; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.log_gap TO coordstream_reader;
GRANT SELECT ON TABLE projection.log_gap TO coordstream_replayer;

--
-- Name: TABLE log_gap; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.log_gap TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.log_gap TO coordstream_replayer;

--
-- Name: TABLE log; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.log TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.log TO coordstream_writer;

--
-- Name: TABLE log_head; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.log_head TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.log_head TO coordstream_writer;

--
-- Name: TABLE retired_stream; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.retired_stream TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.retired_stream TO coordstream_writer;

--
-- Name: TABLE "position"; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection."position" TO coordstream_reader;
GRANT SELECT ON TABLE projection."position" TO coordstream_replayer;

--
-- Name: TABLE refused_stream; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.refused_stream TO coordstream_reader;
GRANT SELECT ON TABLE projection.refused_stream TO coordstream_replayer;

--
-- Name: TABLE log_position; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.log_position TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.log_position TO coordstream_replayer;

--
-- Name: TABLE other_message; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.other_message TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.other_message TO coordstream_replayer;

--
-- Name: TABLE quarantine; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.quarantine TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.quarantine TO coordstream_replayer;

--
-- Name: TABLE rewind; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.rewind TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.rewind TO coordstream_replayer;

--
-- Name: TABLE spark_read; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.spark_read TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.spark_read TO coordstream_writer;

--
-- Name: TABLE spark_read; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.spark_read TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.spark_read TO coordstream_replayer;

--
-- Name: TABLE task_container_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_container_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_container_history TO coordstream_replayer;

--
-- Name: TABLE task_container_validity; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_container_validity TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_container_validity TO coordstream_replayer;

--
-- Name: TABLE task_lag; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_lag TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_lag TO coordstream_replayer;

--
-- Name: TABLE task_mode_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_mode_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_mode_history TO coordstream_replayer;

--
-- Name: TABLE task_partition_history; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_partition_history TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_partition_history TO coordstream_replayer;

--
-- Name: TABLE task_partition_validity; Type: ACL; Schema: coordinator; Owner: -
--

GRANT SELECT ON TABLE coordinator.task_partition_validity TO coordstream_reader;
GRANT SELECT ON TABLE coordinator.task_partition_validity TO coordstream_replayer;

--
-- Name: TABLE alembic_version; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.alembic_version TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.alembic_version TO coordstream_writer;

--
-- Name: TABLE held_name; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.held_name TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.held_name TO coordstream_writer;

--
-- Name: TABLE relation_object; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.relation_object TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.relation_object TO coordstream_writer;

--
-- Name: TABLE archived_log; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.archived_log TO coordstream_reader;
GRANT SELECT ON TABLE projection.archived_log TO coordstream_replayer;

--
-- Name: TABLE changed_past; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.changed_past TO coordstream_reader;
GRANT SELECT ON TABLE projection.changed_past TO coordstream_replayer;

--
-- Name: TABLE checkpoint_event_from_0; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.checkpoint_event_from_0 TO coordstream_reader;
GRANT SELECT ON TABLE projection.checkpoint_event_from_0 TO coordstream_replayer;

--
-- Name: TABLE layout_entry; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.layout_entry TO coordstream_reader;
GRANT SELECT ON TABLE projection.layout_entry TO coordstream_replayer;

--
-- Name: TABLE stream_holder; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.stream_holder TO coordstream_reader;
GRANT SELECT ON TABLE projection.stream_holder TO coordstream_replayer;

--
-- Name: TABLE locked_stream; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.locked_stream TO coordstream_reader;
GRANT SELECT ON TABLE projection.locked_stream TO coordstream_replayer;

--
-- Name: TABLE log_status; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.log_status TO coordstream_reader;
GRANT SELECT ON TABLE projection.log_status TO coordstream_replayer;

--
-- Name: TABLE message_table; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.message_table TO coordstream_reader;
GRANT SELECT ON TABLE projection.message_table TO coordstream_replayer;

--
-- Name: TABLE receipt; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.receipt TO coordstream_reader;
GRANT SELECT ON TABLE projection.receipt TO coordstream_replayer;

--
-- Name: TABLE retired_stream; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.retired_stream TO coordstream_reader;
GRANT SELECT ON TABLE projection.retired_stream TO coordstream_replayer;

--
-- Name: TABLE startpoint_reading; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.startpoint_reading TO coordstream_reader;
GRANT SELECT ON TABLE projection.startpoint_reading TO coordstream_replayer;

--
-- Name: TABLE task_backlog; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.task_backlog TO coordstream_reader;
GRANT SELECT ON TABLE projection.task_backlog TO coordstream_replayer;

--
-- Name: TABLE task_status; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.task_status TO coordstream_reader;
GRANT SELECT ON TABLE projection.task_status TO coordstream_replayer;

--
-- Name: TABLE unread_log; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.unread_log TO coordstream_reader;
GRANT SELECT ON TABLE projection.unread_log TO coordstream_replayer;

--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: eventlog; Owner: -
--

ALTER DEFAULT PRIVILEGES FOR ROLE coordstream IN SCHEMA eventlog GRANT SELECT ON TABLES TO coordstream_replayer;
ALTER DEFAULT PRIVILEGES FOR ROLE coordstream IN SCHEMA eventlog GRANT SELECT ON TABLES TO coordstream_writer;

--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: projection; Owner: -
--

ALTER DEFAULT PRIVILEGES FOR ROLE coordstream IN SCHEMA projection GRANT SELECT ON TABLES TO coordstream_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE coordstream IN SCHEMA projection GRANT SELECT ON TABLES TO coordstream_replayer;

--
-- PostgreSQL database dump complete
--
