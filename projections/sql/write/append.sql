-- Headers are stored as JSON, which any writer may send.
create function eventlog.require_headers(event_headers jsonb[]) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
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
comment on function eventlog.require_headers is 'Refuses headers that no reader of the archive could read.';

-- How writers append: a log's end is compared and moved, its partition is made, and listeners are notified, in one call.
create function eventlog.append(
    stream_name text,
    event_keys bytea[],
    event_values bytea[],
    event_times bigint[] default null,
    event_headers jsonb[] default null,
    expected_offset bigint default null,
    appended_at timestamptz default null
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
comment on function eventlog.append is
    'Appends events to the newest incarnation of a stream that Postgres keeps, all or none, and gives the offset of '
    'the first. Times are in ms since 1970; null: now. With expected_offset only if the log ends there. '
    'SQLSTATE CS001: no such log; CS002: it is an archive; CS003: it ends elsewhere (the detail says where).';
