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
-- Name: changelog_assignment(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.changelog_assignment(log_id integer) RETURNS TABLE(task_name text, changelog_partition integer, earlier_partition integer, earlier_offset bigint, holder text, holder_offset bigint, left_offset bigint, left_time timestamp with time zone, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select s.task_name, s.changelog_partition, lag(s.changelog_partition) over own, lag(s.log_offset) over own,
    lag(s.task_name) over same, lag(s.log_offset) over same, lag(s.left_offset) over same, lag(s.left_time) over same,
    s.record_time, s.message_time, s.source, s.host, s.username, s.log_offset
  from (
    select g.*, case when g.is_left then g.next_offset end as left_offset, case when g.is_left then g.next_time end as left_time
    from (
      select k.message_key as task_name, p.changelog_partition, e.record_time, e.message_time, e.source, e.host, e.username, e.log_offset,
        lead(e.log_offset) over own as next_offset, lead(e.record_time) over own as next_time,
        lead(p.changelog_partition) over own is distinct from p.changelog_partition as is_left
      from projection.event_key k
      join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
      cross join lateral (select (e.body ->> 'changelog_partition')::integer) p(changelog_partition)
      where k.log_id = $1 and k.message_type = 'set-changelog' and not k.is_other and k.message_key not in (
        select s.message_key from projection.event_key s
        join projection.message_event m on m.log_id = s.log_id and m.key_id = s.key_id
        where s.log_id = $1 and s.message_type = 'set-task-mode-assignment' and not s.is_other and m.body ->> 'task_mode' = 'Standby')
      window own as (partition by k.message_key order by e.log_offset)) g) s
  where s.changelog_partition is not null
  window own as (partition by s.task_name order by s.log_offset), same as (partition by s.changelog_partition order by s.log_offset)
$_$;

--
-- Name: changelog_moved(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.changelog_moved(log_id integer) RETURNS TABLE(config_key text, earlier_value text, config_value text, earlier_offset bigint, log_offset bigint, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with changelog as (
    select t.*, nullif(projection.trimmed(t.previous_body ->> 'config_value'), '') as earlier_name, nullif(projection.trimmed(t.body ->> 'config_value'), '') as name
    from projection.message_change($1, 'set-config', message_key => null) t
    where t.message_key like 'stores.%_.changelog'
  ), setting as (
    select s.* from (values ('job.changelog.system'), ('job.default.system')) n(config_key)
    cross join lateral projection.message_change($1, 'set-config', n.config_key) s
  ), system as (
    select y.*, lag(y.name) over (order by y.log_offset) as earlier_name
    from (
      select s.log_offset, s.record_time, s.message_time, s.source, s.host, s.username,
        (select coalesce(max(c.body ->> 'config_value') filter (where c.message_key = 'job.changelog.system'),
                         max(c.body ->> 'config_value') filter (where c.message_key = 'job.default.system'))
         from setting c where c.log_offset <= s.log_offset and coalesce(c.next_offset > s.log_offset, true)) as name,
        projection.time_between(s.record_time, lead(s.record_time) over w) < interval '1 minute'
          and (lead(s.body) over w is null
               or (lead(s.source) over w, lead(s.host) over w, lead(s.username) over w) is not distinct from (s.source, s.host, s.username)) as is_passing
      from setting s
      window w as (order by s.log_offset)) y
    where y.is_passing is not true
  )
  select t.message_key, e.name, n.name, t.previous_offset, t.log_offset, t.record_time, t.message_time, t.source, t.host, t.username
  from changelog t
  left join lateral (select s.name from system s where s.log_offset < t.log_offset order by s.log_offset desc limit 1) s on true
  cross join lateral (select projection.changelog_name(t.earlier_name, s.name)) e(name)
  cross join lateral (select projection.changelog_name(t.name, s.name)) n(name)
  where e.name <> coalesce(n.name, '')
    and (n.name is not null or exists (            -- the store has another setting after the deployment
      select from projection.event_key k
      cross join lateral (
        select x.body from projection.message_event x
        where x.log_id = k.log_id and x.key_id = k.key_id
          and (x.log_offset <= t.log_offset or projection.time_between(t.record_time, x.record_time) < interval '1 minute')
        order by x.log_offset desc limit 1) h
      where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and left(k.message_key, 100) like 'stores.%'
        and starts_with(k.message_key, left(t.message_key, -length('changelog'))) and k.message_key <> t.message_key and h.body is not null))
  union all
  select t.message_key, e.name, n.name, t.log_offset, s.log_offset, s.record_time, s.message_time, s.source, s.host, s.username
  from system s
  join changelog t on t.log_offset < s.log_offset and coalesce(t.next_offset > s.log_offset, true)
  cross join lateral (select projection.changelog_name(t.name, s.earlier_name)) e(name)
  cross join lateral (select projection.changelog_name(t.name, s.name)) n(name)
  where s.earlier_name is not null and e.name <> n.name
$_$;

--
-- Name: checkpoint_log_at(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_log_at(log_id integer, cut bigint) RETURNS TABLE(log_id integer, cut bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select l.log_id, case when $2 is not null then (select c.cut from projection.log_cut(l.log_id, t.at) c) end
  from projection.job_log o
  join projection.job_log l on l.job_suffix = o.job_suffix and l.stream_kind = 'checkpoint'
  left join lateral projection.log_time_at(o.log_id, $2) t on true
  left join lateral projection.log_begins_at(l.log_id) b on true
  where o.log_id = $1 and case when $2 is null then l.is_current else l.is_complete and b.at <= t.at end
  order by l.incarnation desc limit 1
$_$;

--
-- Name: config_event(integer, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.config_event(log_id integer, config_key text) RETURNS TABLE(config_value text, previous_value text, earlier_value text, earlier_offset bigint, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select e.body ->> 'config_value', b.previous_value, b.earlier_value, b.earlier_offset, e.record_time, e.message_time, e.source, e.host, e.username, e.log_offset
  from projection.event_key k
  join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
  cross join lateral (
    select (array_agg(m.body ->> 'config_value' order by m.log_offset desc))[1],
      (array_agg(m.body ->> 'config_value' order by m.log_offset desc) filter (where m.body is not null))[1], max(m.log_offset) filter (where m.body is not null)
    from projection.event_key s
    cross join lateral (
      (select x.body, x.log_offset from projection.message_event x
       where x.log_id = s.log_id and x.key_id = s.key_id and x.log_offset < e.log_offset order by x.log_offset desc limit 1)
      union all
      (select x.body, x.log_offset from projection.message_event x
       where x.log_id = s.log_id and x.key_id = s.key_id and x.log_offset < e.log_offset and x.body is not null order by x.log_offset desc limit 1)) m
    where s.log_id = k.log_id and s.message_type = 'set-config' and not s.is_other and left(s.message_key, 100) = $2) b(previous_value, earlier_value, earlier_offset)
  where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and left(k.message_key, 100) = $2
$_$;

--
-- Name: duration_text(interval); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.duration_text(duration interval) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select coalesce(nullif(concat_ws(' ',
    case extract(day from $1) when 0 then null when 1 then '1 day' else extract(day from $1) || ' days' end,
    case extract(hour from $1) when 0 then null when 1 then '1 hour' else extract(hour from $1) || ' hours' end,
    case extract(minute from $1) when 0 then null when 1 then '1 minute' else extract(minute from $1) || ' minutes' end,
    case extract(second from $1) when 0 then null when 1 then '1 second' else trim_scale(extract(second from $1)) || ' seconds' end), ''), 'no time')
$_$;

SET default_tablespace = '';

--
-- Name: checkpoint_event; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.checkpoint_event (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
    layout_id bigint,
    checkpoint_id text,
    offsets text,
    offsets_odd text[],
    other_version_time timestamp with time zone
)
PARTITION BY RANGE (log_offset);

--
-- Name: COLUMN checkpoint_event.layout_id; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.layout_id IS 'names of the offsets, a hash of them; 0 = none, null = delete';

--
-- Name: COLUMN checkpoint_event.offsets; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.offsets IS 'U+001F between, U+001E = null';

--
-- Name: COLUMN checkpoint_event.offsets_odd; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.offsets_odd IS 'instead of offsets where one of them holds these characters';

--
-- Name: COLUMN checkpoint_event.other_version_time; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.checkpoint_event.other_version_time IS 'record time of the task''s newest event of the other version before; -infinity = none, or a delete; infinity = not to be held; null = a set-checkpoint';

--
-- Name: earlier_checkpoint(integer, integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.earlier_checkpoint(log_id integer, key_id integer, log_offset bigint) RETURNS SETOF projection.checkpoint_event
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select e.*
  from projection.same_checkpoint_key($1, $2) k
  cross join lateral (
    select e.* from projection.checkpoint_event e
    where e.log_id = $1 and e.key_id = k.key_id and e.log_offset < $3
    order by e.log_offset desc limit 1) e
  order by e.layout_id is null, e.log_offset desc limit 1
$_$;

--
-- Name: grouping_changed(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.grouping_changed(log_id integer) RETURNS TABLE(config_key text, earlier_value text, config_value text, earlier_offset bigint, log_offset bigint, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select t.message_key, v.earlier_value, v.config_value, t.previous_offset, t.log_offset,
    t.record_time, t.message_time, t.source, t.host, t.username
  from projection.write_once_default() d
  cross join lateral projection.message_change($1, 'set-config', d.config_key) t
  cross join lateral (select coalesce(t.previous_body ->> 'config_value', d.config_value), coalesce(t.body ->> 'config_value', d.config_value)) v(earlier_value, config_value)
  where v.earlier_value <> v.config_value
    and (t.previous_body is not null or exists (
      select from projection.message_change($1, 'set-config', 'job.name') n
      where n.body is not null and n.log_offset < t.log_offset and coalesce(n.next_offset > t.log_offset, true)
        and not coalesce(projection.time_between(n.record_time, t.record_time) < interval '1 minute'
                         and (n.source, n.host, n.username) is not distinct from (t.source, t.host, t.username), false)))
$_$;

--
-- Name: is_changelog(integer, text, text, text[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_changelog(checkpoint_version integer, system_name text, stream_name text, changelogs text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select $1 = 1 and $4 is not null and coalesce($2 || '.' || $3 = any ($4), false)
$_$;

--
-- Name: is_outdated(timestamp with time zone, timestamp with time zone, interval); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_outdated(record_time timestamp with time zone, other_record_time timestamp with time zone, max_age interval) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select coalesce(projection.time_between($1, $2) > $3, false)
$_$;

--
-- Name: is_preferred(integer, timestamp with time zone, timestamp with time zone, integer[], integer, interval); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_preferred(checkpoint_version integer, record_time timestamp with time zone, other_version_time timestamp with time zone, versions integer[], lower_version integer, max_age interval) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select case
    when not coalesce($1 = any ($4), false) then false
    when $1 is distinct from $5 then true
    when not isfinite($3) then $3 = '-infinity'
    else projection.is_outdated($3, $2, $6)
  end
$_$;

--
-- Name: is_rewind_requested(integer, text, text, text, integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_rewind_requested(log_id integer, task_name text, system_name text, stream_name text, partition_id integer, after timestamp with time zone, until timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select exists (
    select from projection.job_log own
    join projection.job_log j on j.job_suffix = own.job_suffix and j.stream_kind = 'coordinator'
    where own.log_id = $1 and (exists (
      select from projection.event_key k
      join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
      left join lateral (
        select coalesce(n.record_time, (select t.at from projection.log_time_at(n.log_id, n.log_offset) t)) as at
        from projection.message_event n
        where n.log_id = e.log_id and n.key_id = e.key_id and n.log_offset > e.log_offset
        order by n.log_offset limit 1) n on true
      where k.log_id = j.log_id and k.message_type = 'samza-startpoint-v1-fan-out' and not k.is_other
        and left(k.message_key, 100) = left($2, 100) and k.message_key = $2
        and projection.time_between($7, e.record_time) <= interval '1 minute' and coalesce(n.at >= $6, true)
        and e.body -> 'fan_outs' @> jsonb_build_array(jsonb_build_object('system_name', $3, 'stream_name', $4, 'partition_id', $5))
    ) or exists (
      select from (
        values ('systems.' || $3 || '.streams.' || $4 || '.samza.reset.offset'), ('systems.' || $3 || '.default.stream.samza.reset.offset')
        union all
        select k.message_key from projection.event_key k
        where k.log_id = j.log_id and k.message_type = 'set-config' and not k.is_other
          and left(k.message_key, 100) like 'streams.%' and k.message_key like 'streams.%.samza.reset.offset'
          and projection.is_id_of(j.log_id, split_part(k.message_key, '.', 2), $3, $4, $7)) setting(config_key)
      where lower(projection.config_value_at(j.log_id, setting.config_key, $7)) = 'true'
    )))
$_$;

--
-- Name: lowered_changelog(integer, bigint, text, text[], bigint, text, text[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.lowered_changelog(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]) RETURNS TABLE(store_name text, system_name text, stream_name text, partition_id integer, changelog_offset text, earlier_offset text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select l.store_name, l.system_name, l.stream_name, l.partition_id, o.changelog_offset, o.earlier_offset
  from projection.layout_entry l
  join projection.layout_entry e on e.log_id = $1 and e.layout_id = $5 and e.is_state
    and (e.system_name, e.stream_name, e.partition_id) = (l.system_name, l.stream_name, l.partition_id)
    and e.store_name is not distinct from l.store_name
  cross join lateral (select projection.offset_of($3, $4, l.n), projection.offset_of($6, $7, e.n)) o(changelog_offset, earlier_offset)
  where l.log_id = $1 and l.layout_id = $2 and l.is_state
    and projection.offset_number(o.changelog_offset) < projection.offset_number(o.earlier_offset)
$_$;

--
-- Name: lowered_choice(integer, bigint, integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.lowered_choice(coordinator_log integer, log_offset bigint, checkpoint_log integer, checkpoint_cut bigint) RETURNS TABLE(task_name text, checkpoint_version integer, log_offset bigint, earlier_version integer, earlier_log_offset bigint, partition_text text, input_offset text, earlier_offset text)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET plan_cache_mode TO 'force_generic_plan'
    AS $_$
  select n.task_name, n.checkpoint_version, n.log_offset, n.earlier_version, n.earlier_log_offset,
    projection.partition_text(m.system_name, m.stream_name, m.partition_id, m.key_bucket), m.input_offset, m.earlier_offset
  from (
    select b.*, lag(b.checkpoint_version) over w as earlier_version, lag(b.log_offset) over w as earlier_log_offset,
      lag(b.layout_id) over w as earlier_layout_id, lag(b.offsets) over w as earlier_offsets, lag(b.offsets_odd) over w as earlier_offsets_odd
    from (
      select false as is_after, o.* from projection.checkpoint_choice($1, $2 - 1, $3, $4, null, false) o
      union all
      select true, a.* from projection.checkpoint_choice($1, $2, $3, $4, null, false) a) b
    window w as (partition by b.task_name order by b.is_after)) n
  cross join lateral (
    select l.* from projection.lowered_partition(n.log_id, n.layout_id, n.offsets, n.offsets_odd, n.earlier_layout_id, n.earlier_offsets, n.earlier_offsets_odd) l
    order by l.system_name collate "C", l.stream_name collate "C", l.partition_id, l.key_bucket limit 1) m
  where n.is_after and n.log_offset < n.earlier_log_offset
$_$;

--
-- Name: lowered_partition(integer, bigint, text, text[], bigint, text, text[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.lowered_partition(log_id integer, layout_id bigint, offsets text, offsets_odd text[], earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[]) RETURNS TABLE(system_name text, stream_name text, partition_id integer, key_bucket integer, input_offset text, earlier_offset text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select l.system_name, l.stream_name, l.partition_id, l.key_bucket, o.input_offset, o.earlier_offset
  from unnest(string_to_array($3, E'\x1f'), string_to_array($6, E'\x1f')) with ordinality o(input_offset, earlier_offset, n)
  join projection.layout_entry l on l.log_id = $1 and l.layout_id = $2 and l.n = o.n and not l.is_state
  where $2 = $5 and $3 <> $6 and ((length(o.input_offset), o.input_offset collate "C") < (length(o.earlier_offset), o.earlier_offset collate "C")
      or o.input_offset < '1' collate "C")
    and projection.offset_number(o.input_offset) < projection.offset_number(o.earlier_offset)
  union all
  select l.system_name, l.stream_name, l.partition_id, l.key_bucket, o.input_offset, o.earlier_offset
  from projection.layout_entry l
  join projection.layout_entry e on e.log_id = $1 and e.layout_id = $5 and not e.is_state
    and (e.system_name, e.stream_name, e.partition_id, e.key_bucket) = (l.system_name, l.stream_name, l.partition_id, l.key_bucket)
  cross join lateral (select projection.offset_of($3, $4, l.n), projection.offset_of($6, $7, e.n)) o(input_offset, earlier_offset)
  where ($2 <> $5 or $3 is null or $6 is null) and l.log_id = $1 and l.layout_id = $2 and not l.is_state
    and ((length(o.input_offset), o.input_offset collate "C") < (length(o.earlier_offset), o.earlier_offset collate "C")
      or o.input_offset < '1' collate "C")
    and projection.offset_number(o.input_offset) < projection.offset_number(o.earlier_offset)
$_$;

--
-- Name: partition_text(text, text, integer, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.partition_text(system_name text, stream_name text, partition_id integer, key_bucket integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select $1 || '.' || $2 || '.' || $3::text || case when $4 <> -1 then ' (key bucket ' || $4::text || ')' else '' end
$_$;

--
-- Name: startpoint_removed(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_removed(log_id integer, cut bigint) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint, fanned_out_ms bigint, status text, input_offset text, checkpoint_log_offset bigint, earlier_offset text, earlier_log_offset bigint, record_time timestamp with time zone, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select t.task_name, f.system_name, f.stream_name, f.partition_id, f.key_bucket, f.startpoint_type, f.startpoint_value, f.created_ms,
    m.fanned_out_ms,
    case when m.is_superseded then 'superseded'
         else projection.startpoint_outcome(f.startpoint_type, f.startpoint_value, projection.to_time(m.fanned_out_ms),
                                            c.record_time, f.input_offset, c.earlier_time, f.earlier_offset) end,
    f.input_offset, c.log_offset, f.earlier_offset, c.earlier_log_offset,
    t.record_time, t.host, t.username, t.log_offset
  from projection.fan_out_change($1, $2) t
  cross join lateral (                                     -- `offset 0`: once for each event, not for each of its startpoints
    select (t.previous_body ->> 'fanned_out_ms')::bigint, t.body -> 'fanned_out_ms' <> t.previous_body -> 'fanned_out_ms',
      coalesce(t.body -> 'fan_outs', '[]'::jsonb) offset 0) m(fanned_out_ms, is_superseded, fan_outs)
  left join lateral projection.checkpoint_before($1, t.task_name, t.record_time, t.log_offset, projection.to_time(m.fanned_out_ms)) c on true
  cross join lateral (                                     -- `offset 0`: the offsets of all partitions at once, not of each by a scan of the layout
    select x.entry, f.*, o.input_offset, b.input_offset as earlier_offset
    from jsonb_array_elements(t.previous_body -> 'fan_outs') x(entry)
    cross join lateral jsonb_to_record(x.entry)
      f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
    left join projection.partition_offsets(c.log_id, c.layout_id, c.offsets, c.offsets_odd) o using (system_name, stream_name, partition_id)
    left join projection.partition_offsets(c.earlier_log_id, c.earlier_layout_id, c.earlier_offsets, c.earlier_offsets_odd) b using (system_name, stream_name, partition_id)
    offset 0) f
  where not m.fan_outs @> jsonb_build_array(f.entry)
$_$;

--
-- Name: state_change(integer, text, integer, bigint, text, text, text, text, text, integer, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.state_change(log_id integer, task_name text, checkpoint_version integer, log_offset bigint, store_name text, factory_name text, marker text, changelog_system text, changelog_stream text, changelog_partition integer, changelog_offset text) RETURNS TABLE(commits_since_change bigint, changed_at timestamp with time zone, changed_log_offset bigint, earlier_log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select n.commits - 1, f.record_time, f.log_offset, d.log_offset
  from (
    select array(select s.key_id from projection.same_checkpoint_key($1, k.key_id) s) as keys
    from projection.event_key k
    join projection.checkpoint_event e on e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset = $4
    where k.log_id = $1 and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other
      and left(k.message_key, 100) = left($2, 100) and k.message_key = $2 and k.checkpoint_version = $3 offset 0) k
  cross join lateral (
    select max(c.log_offset) as log_offset from unnest(k.keys) y(key_id)
    cross join lateral (
      select e.log_offset
      from projection.checkpoint_event e
      left join lateral (
        select true as is_there, l.marker_prefix || coalesce(x.state_offset, '') || l.marker_suffix as marker,
          case when l.stream_name is not null then x.state_offset end as earlier_offset
        from projection.layout_entry l
        cross join lateral (select projection.offset_of(e.offsets, e.offsets_odd, l.n)) x(state_offset)
        where l.log_id = $1 and l.layout_id = e.layout_id
          and case when $7 is null then (l.system_name, l.stream_name, l.partition_id) = ($8, $9, $10)
                   else l.is_state and (l.factory_name, l.store_name) = ($6, $5) end
        limit 1) s on true
      where e.log_id = $1 and e.key_id = y.key_id and e.log_offset < $4
        and (s.is_there is null or s.marker is distinct from $7 or s.earlier_offset is distinct from $11)
      order by e.log_offset desc limit 1) c) d
  cross join lateral (
    select sum(c.commits)::bigint as commits, min(c.first_offset) as first_offset from unnest(k.keys) y(key_id)
    cross join lateral (
      select count(*) as commits, min(e.log_offset) as first_offset from projection.checkpoint_event e
      where e.log_id = $1 and e.key_id = y.key_id and e.log_offset > coalesce(d.log_offset, -1) and e.log_offset <= $4) c) n
  cross join lateral (
    select x.* from unnest(k.keys) y(key_id)
    cross join lateral (                                   -- `offset 0`: by index, key by key
      select e.record_time, e.log_offset from projection.checkpoint_event e
      where e.log_id = $1 and e.key_id = y.key_id and e.log_offset = n.first_offset offset 0) x) f
$_$;

--
-- Name: time_between(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.time_between(earlier timestamp with time zone, later timestamp with time zone) RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select justify_hours(($2 - timestamptz '2000-01-01 00:00:00+00') - ($1 - timestamptz '2000-01-01 00:00:00+00'))
$_$;

--
-- Name: unconsumed_startpoint(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.unconsumed_startpoint(log_id integer) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, fan_out_offset bigint, earlier_offset text, input_offset text, moved_log_offset bigint, stream_kind text, incarnation integer, record_time timestamp with time zone, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with fanned_out as (
    select distinct on (h.log_offset, h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket)
      h.*, r.status, r.record_time as removed_time, r.log_offset as removed_offset
    from projection.startpoint_fanned_out($1, cut => null) h
    left join projection.startpoint_removed($1, cut => null) r
      on (r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.created_ms, r.startpoint_type)
       = (h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.created_ms, h.startpoint_type)
      and r.log_offset > h.log_offset
    order by h.log_offset, h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, r.log_offset
  )
  select distinct on (h.log_offset, h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket)
    h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.startpoint_type, h.startpoint_value, h.log_offset,
    o.input_offset, m.input_offset, m.log_offset, k.stream_kind, k.incarnation, a.record_time, a.log_offset
  from fanned_out h
  cross join lateral (select c.* from projection.checkpoint_key($1, h.task_name) c offset 0) k      -- by index, task by task
  cross join lateral projection.base_end(k.log_id) z
  left join lateral (
    select e.* from projection.checkpoint_event e
    where e.log_id = k.log_id and e.key_id = k.key_id
      and e.log_offset <= greatest(z.last_offset, case when k.log_id = $1 then h.log_offset - 1
                               else (select s.bound from projection.log_bound(k.log_id, h.record_time) s) end)
      and (k.log_id = $1 or e.record_time <= h.record_time or e.log_offset <= z.last_offset)
    order by e.log_offset desc limit 1) b on true
  cross join lateral (                                     -- `offset 0`: once, not for each checkpoint that it is compared with
    select projection.partition_offset(b.log_id, b.layout_id, b.offsets, b.offsets_odd, h.system_name, h.stream_name, h.partition_id) offset 0) o(input_offset)
  cross join lateral (
    select e.log_id, e.key_id, e.log_offset, x.input_offset from projection.checkpoint_event e
    cross join lateral (select projection.partition_offset(e.log_id, e.layout_id, e.offsets, e.offsets_odd, h.system_name, h.stream_name, h.partition_id)) x(input_offset)
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset > coalesce(b.log_offset, -1)
      and case when k.log_id = $1 then e.log_offset > h.log_offset else e.record_time > h.record_time end
      and projection.offset_number(x.input_offset) > coalesce(projection.offset_number(o.input_offset), -1)
    order by e.log_offset limit 1) m
  cross join lateral (
    select e.record_time, e.log_offset from projection.checkpoint_event e
    where e.log_id = m.log_id and e.key_id = m.key_id and e.log_offset > m.log_offset and e.layout_id is not null
    order by e.log_offset limit 1) a
  where coalesce(h.status in ('superseded', 'deleted'), true)                 -- of the others, no checkpoint is looked up
    and (h.status is null or case when k.log_id = $1 then a.log_offset < h.removed_offset else a.record_time < h.removed_time end)
  order by h.log_offset, h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, a.record_time, a.log_offset
$_$;

SET default_table_access_method = heap;

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
-- Name: anomaly_changelog_remapped; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_changelog_remapped AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    'changelog_remapped'::text AS anomaly,
    t.task_name AS subject,
    ((
        CASE
            WHEN (t.earlier_partition <> t.changelog_partition) THEN format('The changelog partition of task %s changed from %s (log offset %s) to %s'::text, t.task_name, t.earlier_partition, t.earlier_offset, t.changelog_partition)
            ELSE format('Task %s was assigned changelog partition %s'::text, t.task_name, t.changelog_partition)
        END ||
        CASE
            WHEN f.is_given THEN format(', which was that of task %s (log offset %s)'::text, t.holder, t.holder_offset)
            ELSE ''::text
        END) || ': the task restores the state in that partition, not its own.'::text) AS detail,
    t.record_time,
    t.message_time,
    t.source,
    t.host,
    t.username,
    j.stream_kind,
    j.incarnation,
    t.log_offset
   FROM ((projection.job_log j
     CROSS JOIN LATERAL projection.changelog_assignment(j.log_id) t(task_name, changelog_partition, earlier_partition, earlier_offset, holder, holder_offset, left_offset, left_time, record_time, message_time, source, host, username, log_offset))
     CROSS JOIN LATERAL ( SELECT COALESCE(((t.holder <> t.task_name) AND ((t.left_offset < t.log_offset) OR (projection.time_between(t.record_time, t.left_time) <= '00:01:00'::interval))), false) AS "coalesce") f(is_given))
  WHERE ((j.stream_kind = 'coordinator'::text) AND (f.is_given OR (t.earlier_partition <> t.changelog_partition)));

--
-- Name: anomaly_changelog_shared; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_changelog_shared AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    'changelog_shared'::text AS anomaly,
    (t.changelog_partition)::text AS subject,
    format('Changelog partition %s was assigned to task %s, but is also that of task %s (log offset %s): each overwrites the state of the other.'::text, t.changelog_partition, t.task_name, t.holder, t.holder_offset) AS detail,
    t.record_time,
    t.message_time,
    t.source,
    t.host,
    t.username,
    j.stream_kind,
    j.incarnation,
    t.log_offset
   FROM (projection.job_log j
     CROSS JOIN LATERAL projection.changelog_assignment(j.log_id) t(task_name, changelog_partition, earlier_partition, earlier_offset, holder, holder_offset, left_offset, left_time, record_time, message_time, source, host, username, log_offset))
  WHERE ((j.stream_kind = 'coordinator'::text) AND (t.holder <> t.task_name) AND COALESCE(((t.left_offset > t.log_offset) AND COALESCE((projection.time_between(t.record_time, t.left_time) > '00:01:00'::interval), true)), (t.left_offset IS NULL)));

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
-- Name: commit; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.commit AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    k.message_key AS task_name,
    k.checkpoint_version,
    k.grouper_factory,
    h.log_id,
    h.key_id,
    h.layout_id,
    h.checkpoint_id,
    h.offsets,
    h.offsets_odd,
    h.other_version_time,
    j.changelogs,
    j.store_names,
    j.versions,
    j.max_age,
        CASE
            WHEN (k.checkpoint_version = 0) THEN 'coordinator-stream'::text
            ELSE 'checkpoint-topic'::text
        END AS origin,
        CASE
            WHEN (h.layout_id IS NULL) THEN 'delete'::text
            ELSE 'set'::text
        END AS operation,
        CASE
            WHEN (j.stream_kind = 'coordinator'::text) THEN (NOT j.has_checkpoint_topic)
            WHEN (k.checkpoint_version = 0) THEN false
            WHEN (k.grouper_factory <> COALESCE(j.grouper_factory, k.grouper_factory)) THEN false
            ELSE projection.is_preferred(k.checkpoint_version, h.record_time, h.other_version_time, j.versions, j.lower_version, j.max_age)
        END AS is_preferred,
    h.record_time,
    v.message_time,
    v.source,
    v.host,
    v.username,
    j.stream_kind,
    j.incarnation,
    h.log_offset
   FROM (((projection.job_log j
     JOIN projection.checkpoint_event h ON ((h.log_id = j.log_id)))
     JOIN projection.event_key k ON (((k.log_id = h.log_id) AND (k.key_id = h.key_id))))
     LEFT JOIN projection.checkpoint_envelope v ON (((v.log_id = h.log_id) AND (v.log_offset = h.log_offset))));

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
-- Name: suspect_commit; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.suspect_commit AS
 SELECT s.may_be_lower,
    (s.may_be_unread AND ((c.max_age >= '00:05:00'::interval) AND (c.max_age <= '01:00:00'::interval))) AS may_be_unread,
    j.job_name,
    j.job_id,
    j.job_bucket,
    c.task_name,
    c.checkpoint_version,
    c.grouper_factory,
    s.log_id,
    s.key_id,
    c.layout_id,
    c.offsets,
    c.offsets_odd,
    c.other_version_time,
    c.changelogs,
    c.versions,
    c.max_age,
    c.is_preferred,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    j.stream_kind,
    j.incarnation,
    s.log_offset
   FROM ((projection.job_log j
     JOIN projection.suspect_checkpoint s ON ((s.log_id = j.log_id)))
     CROSS JOIN LATERAL ( SELECT o.job_name,
            o.job_id,
            o.job_bucket,
            o.task_name,
            o.checkpoint_version,
            o.grouper_factory,
            o.log_id,
            o.key_id,
            o.layout_id,
            o.checkpoint_id,
            o.offsets,
            o.offsets_odd,
            o.other_version_time,
            o.changelogs,
            o.store_names,
            o.versions,
            o.max_age,
            o.origin,
            o.operation,
            o.is_preferred,
            o.record_time,
            o.message_time,
            o.source,
            o.host,
            o.username,
            o.stream_kind,
            o.incarnation,
            o.log_offset
           FROM projection.commit o
          WHERE ((o.job_name = j.job_name) AND (o.job_id = j.job_id) AND (o.stream_kind = j.stream_kind) AND (o.incarnation = j.incarnation) AND (o.log_id = s.log_id) AND (o.key_id = s.key_id) AND (o.log_offset = s.log_offset))
         OFFSET 0) c)
UNION ALL
 SELECT false AS may_be_lower,
    true AS may_be_unread,
    c.job_name,
    c.job_id,
    c.job_bucket,
    c.task_name,
    c.checkpoint_version,
    c.grouper_factory,
    c.log_id,
    c.key_id,
    c.layout_id,
    c.offsets,
    c.offsets_odd,
    c.other_version_time,
    c.changelogs,
    c.versions,
    c.max_age,
    c.is_preferred,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset
   FROM projection.commit c
  WHERE ((c.max_age < '00:05:00'::interval) OR (c.max_age > '01:00:00'::interval));

--
-- Name: anomaly_checkpoint_moved_back; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_checkpoint_moved_back AS
 SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    'checkpoint_moved_back'::text AS anomaly,
    projection.partition_text(m.system_name, m.stream_name, m.partition_id, m.key_bucket) AS subject,
    format('The checkpoint of task %s went back from %s (log offset %s) to %s, and neither a startpoint nor reset.offset requested it: the offsets between are processed again. Somebody wrote the checkpoint by hand, two containers run the task, or the input was re-created.'::text, c.task_name, m.earlier_offset, b.log_offset, m.input_offset) AS detail,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset
   FROM ((projection.suspect_commit c
     CROSS JOIN LATERAL projection.earlier_checkpoint(c.log_id, c.key_id, c.log_offset) b(log_offset, record_time, log_id, key_id, layout_id, checkpoint_id, offsets, offsets_odd, other_version_time))
     CROSS JOIN LATERAL projection.lowered_partition(c.log_id, c.layout_id, c.offsets, c.offsets_odd, b.layout_id, b.offsets, b.offsets_odd) m(system_name, stream_name, partition_id, key_bucket, input_offset, earlier_offset))
  WHERE (c.may_be_lower AND c.is_preferred AND (NOT projection.is_changelog(c.checkpoint_version, m.system_name, m.stream_name, c.changelogs)) AND (NOT projection.is_rewind_requested(c.log_id, c.task_name, m.system_name, m.stream_name, m.partition_id, b.record_time, c.record_time)));

--
-- Name: anomaly_read_versions; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_read_versions AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    'checkpoint_version_rollback'::text AS anomaly,
    n.task_name AS subject,
    format('task.checkpoint.read.versions was %s and is now %s: task %s starts from its checkpoint of version %s (log offset %s), not from that of version %s (log offset %s), and reads again from %s in %s instead of %s.'::text, COALESCE(t.previous_value, 'not set'::text), COALESCE(t.config_value, 'not set'::text), n.task_name, n.checkpoint_version, n.log_offset, n.earlier_version, n.earlier_log_offset, n.input_offset, n.partition_text, n.earlier_offset) AS detail,
    t.record_time,
    t.message_time,
    t.source,
    t.host,
    t.username,
    j.stream_kind,
    j.incarnation,
    t.log_offset
   FROM (((projection.job_log j
     CROSS JOIN LATERAL projection.config_event(j.log_id, 'task.checkpoint.read.versions'::text) t(config_value, previous_value, earlier_value, earlier_offset, record_time, message_time, source, host, username, log_offset))
     CROSS JOIN LATERAL projection.checkpoint_log_at(j.log_id, t.log_offset) p(log_id, cut))
     CROSS JOIN LATERAL projection.lowered_choice(j.log_id, t.log_offset, p.log_id, p.cut) n(task_name, checkpoint_version, log_offset, earlier_version, earlier_log_offset, partition_text, input_offset, earlier_offset))
  WHERE ((j.stream_kind = 'coordinator'::text) AND (t.config_value IS DISTINCT FROM t.previous_value));

--
-- Name: anomaly_startpoint_ignored; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_startpoint_ignored AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    'startpoint_ignored'::text AS anomaly,
    projection.partition_text(i.system_name, i.stream_name, i.partition_id, i.key_bucket) AS subject,
    i.detail,
    i.record_time,
    NULL::timestamp with time zone AS message_time,
    NULL::text AS source,
    NULL::text AS host,
    NULL::text AS username,
    i.stream_kind,
    i.incarnation,
    i.log_offset
   FROM (projection.job_log j
     CROSS JOIN LATERAL ( SELECT r.system_name,
            r.stream_name,
            r.partition_id,
            r.key_bucket,
            format('Startpoint %2$s was fanned out to task %1$s, but its next checkpoint continued from the old position, from %3$s (log offset %4$s) to %5$s (log offset %6$s): the startpoint could not be resolved and was ignored, or the task had read past the old position when it wrote the checkpoint.'::text, r.task_name, concat_ws(' '::text, r.startpoint_type, r.startpoint_value), r.earlier_offset, r.earlier_log_offset, r.input_offset, r.checkpoint_log_offset) AS format,
            r.record_time,
            j.stream_kind,
            j.incarnation,
            r.log_offset
           FROM projection.startpoint_removed(j.log_id, cut => NULL::bigint) r(task_name, system_name, stream_name, partition_id, key_bucket, startpoint_type, startpoint_value, created_ms, fanned_out_ms, status, input_offset, checkpoint_log_offset, earlier_offset, earlier_log_offset, record_time, host, username, log_offset)
          WHERE (r.status = 'refused'::text)
        UNION ALL
         SELECT u.system_name,
            u.stream_name,
            u.partition_id,
            u.key_bucket,
            format('Startpoint %2$s was fanned out to task %1$s (log offset %3$s), but its checkpoints continued without it, from %4$s to %5$s (log offset %6$s): no container of the task has started since, or none reads its startpoints.'::text, u.task_name, concat_ws(' '::text, u.startpoint_type, u.startpoint_value), u.fan_out_offset, COALESCE(u.earlier_offset, 'nothing'::text), u.input_offset, u.moved_log_offset) AS format,
            u.record_time,
            u.stream_kind,
            u.incarnation,
            u.log_offset
           FROM projection.unconsumed_startpoint(j.log_id) u(task_name, system_name, stream_name, partition_id, key_bucket, startpoint_type, startpoint_value, fan_out_offset, earlier_offset, input_offset, moved_log_offset, stream_kind, incarnation, record_time, log_offset)) i(system_name, stream_name, partition_id, key_bucket, detail, record_time, stream_kind, incarnation, log_offset))
  WHERE (j.stream_kind = 'coordinator'::text);

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
-- Name: anomaly_state_backends_disagree; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_state_backends_disagree AS
 SELECT s.job_name,
    s.job_id,
    s.job_bucket,
    'state_markers_disagree'::text AS anomaly,
    s.task_name AS subject,
    format('The state of task %s, store %s, is at offset %s of changelog %s, but its marker of %s has not changed since log offset %s: a restore from there would lose the changes since.'::text, s.task_name, s.store_name, s.own_offset, projection.partition_text(s.own_system, s.own_stream, s.own_partition, '-1'::integer), s.factory_name, o.changed_log_offset) AS detail,
    c.changed_at AS record_time,
    NULL::timestamp with time zone AS message_time,
    NULL::text AS source,
    NULL::text AS host,
    NULL::text AS username,
    s.stream_kind,
    s.incarnation,
    c.changed_log_offset AS log_offset
   FROM ((( SELECT j.job_name,
            j.job_id,
            j.job_bucket,
            j.stream_kind,
            j.incarnation,
            r.log_offset,
            r.record_time,
            r.message_time,
            r.log_id,
            r.key_id,
            r.n,
            r.changelog_partition,
            r.checkpoint_version,
            r.task_name,
            r.store_name,
            r.factory_name,
            r.marker,
            r.changelog_system,
            r.changelog_stream,
            r.changelog_offset,
            r.checkpoint_id,
            r.source,
            r.host,
            r.username,
            first_value(r.factory_name) OVER own AS own_factory,
            first_value(r.marker) OVER own AS own_marker,
            first_value(r.changelog_system) OVER own AS own_system,
            first_value(r.changelog_stream) OVER own AS own_stream,
            first_value(r.changelog_partition) OVER own AS own_partition,
            first_value(r.changelog_offset) OVER own AS own_offset
           FROM (projection.job_log j
             JOIN projection.state_checkpoint r ON ((r.log_id = j.log_id)))
          WHERE (j.is_current AND (r.marker IS NOT NULL))
          WINDOW own AS (PARTITION BY j.job_name, j.job_id, r.task_name, r.store_name ORDER BY (r.changelog_stream IS NULL), r.factory_name)) s
     CROSS JOIN LATERAL projection.state_change(s.log_id, s.task_name, s.checkpoint_version, s.log_offset, s.store_name, s.own_factory, s.own_marker, s.own_system, s.own_stream, s.own_partition, s.own_offset) c(commits_since_change, changed_at, changed_log_offset, earlier_log_offset))
     CROSS JOIN LATERAL projection.state_change(s.log_id, s.task_name, s.checkpoint_version, s.log_offset, s.store_name, s.factory_name, s.marker, NULL::text, NULL::text, NULL::integer, NULL::text) o(commits_since_change, changed_at, changed_log_offset, earlier_log_offset))
  WHERE ((s.changelog_stream IS NULL) AND (s.own_stream IS NOT NULL) AND (c.earlier_log_offset IS NOT NULL) AND (o.changed_log_offset < c.changed_log_offset));

--
-- Name: anomaly_state_behind_inputs; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_state_behind_inputs AS
 SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    'state_markers_disagree'::text AS anomaly,
    c.task_name AS subject,
    format('The state of task %s%s went back from offset %s (log offset %s) to %s of changelog %s, but no input did: what the task did with the input between is lost if the task starts here. Somebody wrote the checkpoint by hand, two containers run the task, or the changelog was re-created.'::text, c.task_name, COALESCE(((', store '::text || m.store_name) || ','::text), ''::text), m.earlier_offset, b.log_offset, m.changelog_offset, projection.partition_text(m.system_name, m.stream_name, m.partition_id, '-1'::integer)) AS detail,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset
   FROM ((projection.suspect_commit c
     CROSS JOIN LATERAL projection.earlier_checkpoint(c.log_id, c.key_id, c.log_offset) b(log_offset, record_time, log_id, key_id, layout_id, checkpoint_id, offsets, offsets_odd, other_version_time))
     CROSS JOIN LATERAL ( SELECT l.store_name,
            l.system_name,
            l.stream_name,
            l.partition_id,
            l.changelog_offset,
            l.earlier_offset
           FROM projection.lowered_changelog(c.log_id, c.layout_id, c.offsets, c.offsets_odd, b.layout_id, b.offsets, b.offsets_odd) l(store_name, system_name, stream_name, partition_id, changelog_offset, earlier_offset)
          ORDER BY (l.store_name COLLATE "C"), (l.system_name COLLATE "C"), (l.stream_name COLLATE "C"), l.partition_id
         LIMIT 1) m)
  WHERE (c.may_be_lower AND c.is_preferred AND (NOT (EXISTS ( SELECT
           FROM projection.lowered_partition(c.log_id, c.layout_id, c.offsets, c.offsets_odd, b.layout_id, b.offsets, b.offsets_odd) i(system_name, stream_name, partition_id, key_bucket, input_offset, earlier_offset)
          WHERE (NOT projection.is_changelog(c.checkpoint_version, i.system_name, i.stream_name, c.changelogs))))));

--
-- Name: anomaly_state_markers_disagree; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_state_markers_disagree AS
 SELECT job_name,
    job_id,
    job_bucket,
    anomaly,
    subject,
    string_agg(detail, ' '::text ORDER BY (detail COLLATE "C")) AS detail,
    record_time,
    max(message_time) AS message_time,
    max(source) AS source,
    max(host) AS host,
    max(username) AS username,
    stream_kind,
    incarnation,
    log_offset
   FROM ( SELECT anomaly_state_behind_inputs.job_name,
            anomaly_state_behind_inputs.job_id,
            anomaly_state_behind_inputs.job_bucket,
            anomaly_state_behind_inputs.anomaly,
            anomaly_state_behind_inputs.subject,
            anomaly_state_behind_inputs.detail,
            anomaly_state_behind_inputs.record_time,
            anomaly_state_behind_inputs.message_time,
            anomaly_state_behind_inputs.source,
            anomaly_state_behind_inputs.host,
            anomaly_state_behind_inputs.username,
            anomaly_state_behind_inputs.stream_kind,
            anomaly_state_behind_inputs.incarnation,
            anomaly_state_behind_inputs.log_offset
           FROM projection.anomaly_state_behind_inputs
        UNION ALL
         SELECT anomaly_state_backends_disagree.job_name,
            anomaly_state_backends_disagree.job_id,
            anomaly_state_backends_disagree.job_bucket,
            anomaly_state_backends_disagree.anomaly,
            anomaly_state_backends_disagree.subject,
            anomaly_state_backends_disagree.detail,
            anomaly_state_backends_disagree.record_time,
            anomaly_state_backends_disagree.message_time,
            anomaly_state_backends_disagree.source,
            anomaly_state_backends_disagree.host,
            anomaly_state_backends_disagree.username,
            anomaly_state_backends_disagree.stream_kind,
            anomaly_state_backends_disagree.incarnation,
            anomaly_state_backends_disagree.log_offset
           FROM projection.anomaly_state_backends_disagree) a
  GROUP BY job_name, job_id, job_bucket, anomaly, subject, record_time, stream_kind, incarnation, log_offset;

--
-- Name: anomaly_two_job_names; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_two_job_names AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    'two_job_names'::text AS anomaly,
    n.config_key AS subject,
    format('%s on %s was %s (log offset %s) and is now %s: two jobs share the topic, in whose name _ is written as -, and overwrite each other''s config, checkpoints and assignments.'::text, n.config_key, j.stream_name, t.earlier_value, t.earlier_offset, t.config_value) AS detail,
    t.record_time,
    t.message_time,
    t.source,
    t.host,
    t.username,
    j.stream_kind,
    j.incarnation,
    t.log_offset
   FROM ((projection.job_log j
     CROSS JOIN ( VALUES ('job.name'::text), ('job.id'::text)) n(config_key))
     CROSS JOIN LATERAL projection.config_event(j.log_id, n.config_key) t(config_value, previous_value, earlier_value, earlier_offset, record_time, message_time, source, host, username, log_offset))
  WHERE ((j.stream_kind = 'coordinator'::text) AND (t.config_value <> t.earlier_value));

--
-- Name: anomaly_unread_checkpoint; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_unread_checkpoint AS
 SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    'checkpoint_version_rollback'::text AS anomaly,
    c.task_name AS subject,
        CASE
            WHEN (c.checkpoint_version = ANY (c.versions)) THEN format('Task %s writes checkpoints of version %s, and its last one of version %s, which has priority, is older by more than %s (log offset %s): the task went back to an older writer and now starts from version %s.'::text, c.task_name, c.checkpoint_version, b.checkpoint_version, projection.duration_text(c.max_age), b.log_offset, c.checkpoint_version)
            ELSE format('Task %s writes checkpoints of version %s, which the job does not read (task.checkpoint.read.versions), and its last one of version %s is older by more than %s: the next start goes back to that one (log offset %s).'::text, c.task_name, c.checkpoint_version, b.checkpoint_version, projection.duration_text(c.max_age), b.log_offset)
        END AS detail,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset
   FROM ((projection.suspect_commit c
     CROSS JOIN LATERAL ( SELECT e.log_offset,
            e.record_time,
            e.layout_id,
            k.checkpoint_version
           FROM (projection.event_key k
             CROSS JOIN LATERAL ( SELECT h.log_offset,
                    h.record_time,
                    h.layout_id
                   FROM projection.checkpoint_event h
                  WHERE ((h.log_id = k.log_id) AND (h.key_id = k.key_id) AND (h.log_offset < c.log_offset))
                  ORDER BY h.log_offset DESC
                 LIMIT 1) e)
          WHERE ((k.log_id = c.log_id) AND (k.message_type = ANY (ARRAY['checkpoint'::text, 'checkpoint-v2'::text])) AND (NOT k.is_other) AND ("left"(k.message_key, 100) = "left"(c.task_name, 100)) AND (k.message_key = c.task_name) AND (k.grouper_factory = c.grouper_factory) AND (array_position(c.versions, k.checkpoint_version) < COALESCE(array_position(c.versions, c.checkpoint_version), 1000000)) AND (c.other_version_time > '-infinity'::timestamp with time zone) AND projection.is_outdated(c.other_version_time, c.record_time, c.max_age))
          ORDER BY e.log_offset DESC
         LIMIT 1) b)
     LEFT JOIN LATERAL projection.earlier_checkpoint(c.log_id, c.key_id, c.log_offset) p(log_offset, record_time, log_id, key_id, layout_id, checkpoint_id, offsets, offsets_odd, other_version_time) ON (true))
  WHERE (c.may_be_unread AND (c.stream_kind = 'checkpoint'::text) AND (c.layout_id IS NOT NULL) AND (c.checkpoint_version <> c.versions[1]) AND (b.layout_id IS NOT NULL) AND projection.is_outdated(b.record_time, c.record_time, c.max_age) AND (NOT projection.is_outdated(b.record_time, p.record_time, c.max_age)));

--
-- Name: anomaly_write_once_changed; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.anomaly_write_once_changed AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    'write_once_changed'::text AS anomaly,
    c.config_key AS subject,
    format('%s was %s%s and is now %s, set by %s: %s. Set it back, or give the job a new job.id.'::text, c.config_key, c.earlier_value,
        CASE
            WHEN (c.earlier_offset IS NULL) THEN ' (the default)'::text
            ELSE format(' (log offset %s)'::text, c.earlier_offset)
        END, COALESCE(c.config_value, 'not set'::text),
        CASE
            WHEN ((c.source IS NULL) AND (c.host IS NULL) AND (c.username IS NULL)) THEN 'an unknown writer'::text
            ELSE format('%s on host %s as user %s'::text, COALESCE(c.source, 'an unknown source'::text), COALESCE(c.host, 'unknown'::text), COALESCE(c.username, 'unknown'::text))
        END,
        CASE
            WHEN c.is_changelog THEN 'the next start restores the store from another changelog, without its current state'::text
            ELSE 'the next start groups partitions and tasks differently, so that checkpoints and state may belong to other tasks'::text
        END) AS detail,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    j.stream_kind,
    j.incarnation,
    c.log_offset
   FROM (projection.job_log j
     CROSS JOIN LATERAL ( SELECT g.config_key,
            g.earlier_value,
            g.config_value,
            g.earlier_offset,
            g.log_offset,
            g.record_time,
            g.message_time,
            g.source,
            g.host,
            g.username,
            false AS is_changelog
           FROM projection.grouping_changed(j.log_id) g(config_key, earlier_value, config_value, earlier_offset, log_offset, record_time, message_time, source, host, username)
        UNION ALL
         SELECT m.config_key,
            m.earlier_value,
            m.config_value,
            m.earlier_offset,
            m.log_offset,
            m.record_time,
            m.message_time,
            m.source,
            m.host,
            m.username,
            true
           FROM projection.changelog_moved(j.log_id) m(config_key, earlier_value, config_value, earlier_offset, log_offset, record_time, message_time, source, host, username)) c)
  WHERE (j.stream_kind = 'coordinator'::text);

--
-- Name: log_horizon; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.log_horizon AS
 SELECT log_id,
    max(horizon_offset) AS horizon_offset,
    max(horizon_time) AS horizon_time
   FROM eventlog.horizon h
  GROUP BY log_id;

--
-- Name: anomaly; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.anomaly AS
 SELECT job_name,
    job_id,
    job_bucket,
    anomaly,
    subject,
    detail,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM ( SELECT anomaly_read_versions.job_name,
            anomaly_read_versions.job_id,
            anomaly_read_versions.job_bucket,
            anomaly_read_versions.anomaly,
            anomaly_read_versions.subject,
            anomaly_read_versions.detail,
            anomaly_read_versions.record_time,
            anomaly_read_versions.message_time,
            anomaly_read_versions.source,
            anomaly_read_versions.host,
            anomaly_read_versions.username,
            anomaly_read_versions.stream_kind,
            anomaly_read_versions.incarnation,
            anomaly_read_versions.log_offset
           FROM projection.anomaly_read_versions
        UNION ALL
         SELECT anomaly_startpoint_ignored.job_name,
            anomaly_startpoint_ignored.job_id,
            anomaly_startpoint_ignored.job_bucket,
            anomaly_startpoint_ignored.anomaly,
            anomaly_startpoint_ignored.subject,
            anomaly_startpoint_ignored.detail,
            anomaly_startpoint_ignored.record_time,
            anomaly_startpoint_ignored.message_time,
            anomaly_startpoint_ignored.source,
            anomaly_startpoint_ignored.host,
            anomaly_startpoint_ignored.username,
            anomaly_startpoint_ignored.stream_kind,
            anomaly_startpoint_ignored.incarnation,
            anomaly_startpoint_ignored.log_offset
           FROM projection.anomaly_startpoint_ignored
        UNION ALL
         SELECT anomaly_changelog_remapped.job_name,
            anomaly_changelog_remapped.job_id,
            anomaly_changelog_remapped.job_bucket,
            anomaly_changelog_remapped.anomaly,
            anomaly_changelog_remapped.subject,
            anomaly_changelog_remapped.detail,
            anomaly_changelog_remapped.record_time,
            anomaly_changelog_remapped.message_time,
            anomaly_changelog_remapped.source,
            anomaly_changelog_remapped.host,
            anomaly_changelog_remapped.username,
            anomaly_changelog_remapped.stream_kind,
            anomaly_changelog_remapped.incarnation,
            anomaly_changelog_remapped.log_offset
           FROM projection.anomaly_changelog_remapped
        UNION ALL
         SELECT anomaly_changelog_shared.job_name,
            anomaly_changelog_shared.job_id,
            anomaly_changelog_shared.job_bucket,
            anomaly_changelog_shared.anomaly,
            anomaly_changelog_shared.subject,
            anomaly_changelog_shared.detail,
            anomaly_changelog_shared.record_time,
            anomaly_changelog_shared.message_time,
            anomaly_changelog_shared.source,
            anomaly_changelog_shared.host,
            anomaly_changelog_shared.username,
            anomaly_changelog_shared.stream_kind,
            anomaly_changelog_shared.incarnation,
            anomaly_changelog_shared.log_offset
           FROM projection.anomaly_changelog_shared
        UNION ALL
         SELECT anomaly_two_job_names.job_name,
            anomaly_two_job_names.job_id,
            anomaly_two_job_names.job_bucket,
            anomaly_two_job_names.anomaly,
            anomaly_two_job_names.subject,
            anomaly_two_job_names.detail,
            anomaly_two_job_names.record_time,
            anomaly_two_job_names.message_time,
            anomaly_two_job_names.source,
            anomaly_two_job_names.host,
            anomaly_two_job_names.username,
            anomaly_two_job_names.stream_kind,
            anomaly_two_job_names.incarnation,
            anomaly_two_job_names.log_offset
           FROM projection.anomaly_two_job_names
        UNION ALL
         SELECT anomaly_write_once_changed.job_name,
            anomaly_write_once_changed.job_id,
            anomaly_write_once_changed.job_bucket,
            anomaly_write_once_changed.anomaly,
            anomaly_write_once_changed.subject,
            anomaly_write_once_changed.detail,
            anomaly_write_once_changed.record_time,
            anomaly_write_once_changed.message_time,
            anomaly_write_once_changed.source,
            anomaly_write_once_changed.host,
            anomaly_write_once_changed.username,
            anomaly_write_once_changed.stream_kind,
            anomaly_write_once_changed.incarnation,
            anomaly_write_once_changed.log_offset
           FROM projection.anomaly_write_once_changed
        UNION ALL
         SELECT anomaly_unread_checkpoint.job_name,
            anomaly_unread_checkpoint.job_id,
            anomaly_unread_checkpoint.job_bucket,
            anomaly_unread_checkpoint.anomaly,
            anomaly_unread_checkpoint.subject,
            anomaly_unread_checkpoint.detail,
            anomaly_unread_checkpoint.record_time,
            anomaly_unread_checkpoint.message_time,
            anomaly_unread_checkpoint.source,
            anomaly_unread_checkpoint.host,
            anomaly_unread_checkpoint.username,
            anomaly_unread_checkpoint.stream_kind,
            anomaly_unread_checkpoint.incarnation,
            anomaly_unread_checkpoint.log_offset
           FROM projection.anomaly_unread_checkpoint
        UNION ALL
         SELECT anomaly_checkpoint_moved_back.job_name,
            anomaly_checkpoint_moved_back.job_id,
            anomaly_checkpoint_moved_back.job_bucket,
            anomaly_checkpoint_moved_back.anomaly,
            anomaly_checkpoint_moved_back.subject,
            anomaly_checkpoint_moved_back.detail,
            anomaly_checkpoint_moved_back.record_time,
            anomaly_checkpoint_moved_back.message_time,
            anomaly_checkpoint_moved_back.source,
            anomaly_checkpoint_moved_back.host,
            anomaly_checkpoint_moved_back.username,
            anomaly_checkpoint_moved_back.stream_kind,
            anomaly_checkpoint_moved_back.incarnation,
            anomaly_checkpoint_moved_back.log_offset
           FROM projection.anomaly_checkpoint_moved_back
        UNION ALL
         SELECT anomaly_state_markers_disagree.job_name,
            anomaly_state_markers_disagree.job_id,
            anomaly_state_markers_disagree.job_bucket,
            anomaly_state_markers_disagree.anomaly,
            anomaly_state_markers_disagree.subject,
            anomaly_state_markers_disagree.detail,
            anomaly_state_markers_disagree.record_time,
            anomaly_state_markers_disagree.message_time,
            anomaly_state_markers_disagree.source,
            anomaly_state_markers_disagree.host,
            anomaly_state_markers_disagree.username,
            anomaly_state_markers_disagree.stream_kind,
            anomaly_state_markers_disagree.incarnation,
            anomaly_state_markers_disagree.log_offset
           FROM projection.anomaly_state_markers_disagree) a
  WHERE (NOT (EXISTS ( SELECT
           FROM (projection.log_horizon h
             JOIN projection.job_log j ON ((j.log_id = h.log_id)))
          WHERE ((j.job_name = a.job_name) AND (j.job_id = a.job_id) AND (j.stream_kind = a.stream_kind) AND (j.incarnation = a.incarnation) AND (a.log_offset <= h.horizon_offset)))));

--
-- Name: VIEW anomaly; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.anomaly IS 'Inconsistencies in the logs of a job. Each row has the event that shows the anomaly; detail says what happened, what it means and which other events show it. A query reads little: the fold marks the checkpoints that may be anomalies, and only these are read, also for all jobs at once or a range of record_time. Exception: if task.live.checkpoint.max.age of a job is below 5 minutes or above an hour, some kinds read all its events, about 3.5 s of CPU per million. With a range of log_offset, or with coordinator.anomaly_between for a range of time, only that part of the logs is read. After a retention: only anomalies beyond the horizon, as far as the retained events show them.
Key: job_name, job_id, stream_kind, incarnation, log_offset, anomaly, subject.';

--
-- Name: COLUMN anomaly.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN anomaly.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN anomaly.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN anomaly.anomaly; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.anomaly IS 'checkpoint_moved_back, checkpoint_version_rollback, startpoint_ignored, changelog_remapped, changelog_shared, state_markers_disagree, two_job_names or write_once_changed.';

--
-- Name: COLUMN anomaly.subject; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.subject IS 'The subject of the anomaly: a partition (checkpoint_moved_back, startpoint_ignored), a task (checkpoint_version_rollback, changelog_remapped, state_markers_disagree), a changelog partition (changelog_shared) or a config key (two_job_names, write_once_changed).';

--
-- Name: COLUMN anomaly.detail; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.detail IS 'What happened, the log offsets that show it, and what it means.';

--
-- Name: COLUMN anomaly.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN anomaly.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN anomaly.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN anomaly.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN anomaly.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN anomaly.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN anomaly.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN anomaly.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.anomaly.log_offset IS 'The offset of the event in its log.';

--
-- Name: anomaly_between(text, text, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.anomaly_between(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) RETURNS SETOF coordinator.anomaly
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $_$
#variable_conflict use_column
declare
  stretch record;
begin
  for stretch in
    select j.stream_kind, j.incarnation, b.cut as after, u.cut as last
    from projection.job_log j
    cross join lateral projection.log_cut(j.log_id, coalesce($3, '-infinity')) b
    cross join lateral projection.log_cut(j.log_id, coalesce($4, 'infinity')) u
    where j.job_name = $1 and j.job_id = $2
    order by j.stream_kind, j.incarnation
  loop
    return query
    select a.* from coordinator.anomaly a
    where a.job_name = $1 and a.job_id = $2 and a.stream_kind = stretch.stream_kind and a.incarnation = stretch.incarnation
      and a.log_offset > stretch.after and a.log_offset <= stretch.last;
  end loop;
end
$_$;

--
-- Name: FUNCTION anomaly_between(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.anomaly_between(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) IS 'The rows of coordinator.anomaly whose events were written after since and not after until (null: no bound), by log_time, the newest record time up to an event: an event whose own record_time is far off is found by its place in the log. Only that part of the logs is read, and all startpoints of the job.';

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
-- Name: changelog_mapping; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.changelog_mapping AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.changelog_partition,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.changelog_mapping r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW changelog_mapping; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.changelog_mapping IS 'The changelog partition to which each task writes the changes of its stores. It must not change as long as the stores exist.
Key: job_name, job_id, task_name.';

--
-- Name: COLUMN changelog_mapping.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN changelog_mapping.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN changelog_mapping.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN changelog_mapping.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.task_name IS 'The task.';

--
-- Name: COLUMN changelog_mapping.changelog_partition; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.changelog_partition IS 'The partition number, the same in every changelog of the job.';

--
-- Name: COLUMN changelog_mapping.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN changelog_mapping.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN changelog_mapping.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN changelog_mapping.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN changelog_mapping.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN changelog_mapping.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN changelog_mapping.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN changelog_mapping.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping.log_offset IS 'The offset of the event in its log.';

--
-- Name: changelog_mapping_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.changelog_mapping_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.changelog_mapping
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.changelog_partition, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.changelog_mapping_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION changelog_mapping_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.changelog_mapping_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.changelog_mapping at a time: the state after all events whose log_time is not later.';

--
-- Name: changelog_mapping_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.changelog_mapping_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.changelog_mapping
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.changelog_partition, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.changelog_mapping_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION changelog_mapping_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.changelog_mapping_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.changelog_mapping after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

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
-- Name: checkpoint; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.checkpoint AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.system_name,
    r.stream_name,
    r.partition_id,
    r.key_bucket,
    r.input_offset,
    r.input_offset_number,
    r.checkpoint_id,
    r.checkpoint_version,
        CASE j.stream_kind
            WHEN 'checkpoint'::text THEN 'checkpoint-topic'::text
            ELSE 'coordinator-stream'::text
        END AS origin,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.checkpoint r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW checkpoint; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.checkpoint IS 'The checkpoint that each task would start from: one row per input partition. It is read from the checkpoint topic if the job has one, else from the coordinator stream. The job''s config says which versions count, and in which order.
Key: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';

--
-- Name: COLUMN checkpoint.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN checkpoint.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN checkpoint.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN checkpoint.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.task_name IS 'The task.';

--
-- Name: COLUMN checkpoint.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.system_name IS 'The system of the partition.';

--
-- Name: COLUMN checkpoint.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN checkpoint.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN checkpoint.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN checkpoint.input_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.input_offset IS 'The last processed offset, as the input system writes it: the task continues after it. Null: the checkpoint has the partition without an offset.';

--
-- Name: COLUMN checkpoint.input_offset_number; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.input_offset_number IS 'input_offset as a number. Null: it is not an integer of at most 19 digits in the range of bigint.';

--
-- Name: COLUMN checkpoint.checkpoint_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.checkpoint_id IS 'Identifies the commit: a time in ms and a part that distinguishes commits of the same time. Null: versions 0 and 1 have it only if state was committed.';

--
-- Name: COLUMN checkpoint.checkpoint_version; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.checkpoint_version IS '0: `set-checkpoint` on the coordinator stream; 1 and 2: the two formats of the checkpoint topic.';

--
-- Name: COLUMN checkpoint.origin; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.origin IS 'Where the checkpoint was read: `coordinator-stream` or `checkpoint-topic`.';

--
-- Name: COLUMN checkpoint.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN checkpoint.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN checkpoint.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN checkpoint.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN checkpoint.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN checkpoint.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN checkpoint.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN checkpoint.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint.log_offset IS 'The offset of the event in its log.';

--
-- Name: checkpoint_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.input_offset, r.input_offset_number, r.checkpoint_id, r.checkpoint_version, case l.stream_kind when 'checkpoint' then 'checkpoint-topic' else 'coordinator-stream' end, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.checkpoint_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: FUNCTION checkpoint_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.checkpoint at a time: the state after all events whose log_time is not later.';

--
-- Name: checkpoint_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.input_offset, r.input_offset_number, r.checkpoint_id, r.checkpoint_version, case l.stream_kind when 'checkpoint' then 'checkpoint-topic' else 'coordinator-stream' end, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, $4, $5) j
        cross join lateral projection.checkpoint_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: FUNCTION checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.checkpoint after the event at log_offset (inclusive), an offset of the log that the job''s checkpoints are read from unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

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
-- Name: config; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.config AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.config_key,
    r.config_value,
    r.is_sensitive,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.config r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW config; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.config IS 'The configuration of each job: one row per config key that is set. Secrets are replaced by fingerprints, which show whether a value changed without showing the value.
Key: job_name, job_id, config_key.';

--
-- Name: COLUMN config.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN config.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN config.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN config.config_key; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.config_key IS 'The config key, or its fingerprint if the key itself contains a secret.';

--
-- Name: COLUMN config.config_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.config_value IS 'The value, or its fingerprint (`hmac-sha256:…`) if it is a secret. An empty string is a value.';

--
-- Name: COLUMN config.is_sensitive; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.is_sensitive IS 'Whether the value is a secret, by its key or by its text, so that only its fingerprint is shown.';

--
-- Name: COLUMN config.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN config.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN config.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN config.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN config.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN config.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN config.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN config.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config.log_offset IS 'The offset of the event in its log.';

--
-- Name: config_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.config_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.config
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.config_key, r.config_value, r.is_sensitive, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.config_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION config_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.config_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.config at a time: the state after all events whose log_time is not later.';

--
-- Name: config_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.config_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.config
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.config_key, r.config_value, r.is_sensitive, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.config_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION config_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.config_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.config after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

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
-- Name: container_execution; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.container_execution AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.container_id,
    r.execution_container_id,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.container_execution r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW container_execution; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.container_execution IS 'The id that the cluster (YARN) gave to each container. Jobs write it only with high availability of the application master. The rows of containers that no longer exist stay.
Key: job_name, job_id, container_id.';

--
-- Name: COLUMN container_execution.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN container_execution.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN container_execution.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN container_execution.container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.container_id IS 'The container, as the job numbers it.';

--
-- Name: COLUMN container_execution.execution_container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.execution_container_id IS 'The id that the cluster gave to the container, for example container_1700000000001_0042_01_000002.';

--
-- Name: COLUMN container_execution.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN container_execution.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN container_execution.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN container_execution.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN container_execution.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN container_execution.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN container_execution.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN container_execution.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution.log_offset IS 'The offset of the event in its log.';

--
-- Name: container_execution_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.container_execution_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.container_execution
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.container_id, r.execution_container_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.container_execution_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION container_execution_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.container_execution_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.container_execution at a time: the state after all events whose log_time is not later.';

--
-- Name: container_execution_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.container_execution_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.container_execution
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.container_id, r.execution_container_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.container_execution_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION container_execution_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.container_execution_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.container_execution after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

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
-- Name: container_host; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.container_host AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.container_id,
    r.host_name,
    r.jmx_url,
    r.jmx_tunneling_url,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.container_host r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW container_host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.container_host IS 'The host that each container last ran on, and the address of its JMX server.
Key: job_name, job_id, container_id.';

--
-- Name: COLUMN container_host.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN container_host.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN container_host.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN container_host.container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.container_id IS 'The id of the container within the job.';

--
-- Name: COLUMN container_host.host_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.host_name IS 'The host that the container runs on. The host of the message''s writer is in the column host.';

--
-- Name: COLUMN container_host.jmx_url; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.jmx_url IS 'The URL of the container''s JMX server. Null: the message has none.';

--
-- Name: COLUMN container_host.jmx_tunneling_url; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.jmx_tunneling_url IS 'The URL of the container''s JMX server through a tunnel. Null: the message has none.';

--
-- Name: COLUMN container_host.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN container_host.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN container_host.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN container_host.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.host IS 'The host of the message''s writer, from its envelope, as source and username are. The container''s host is in host_name. Null: there is no envelope, or it has no host.';

--
-- Name: COLUMN container_host.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN container_host.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN container_host.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN container_host.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host.log_offset IS 'The offset of the event in its log.';

--
-- Name: container_host_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.container_host_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.container_host
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.container_id, r.host_name, r.jmx_url, r.jmx_tunneling_url, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.container_host_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION container_host_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.container_host_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.container_host at a time: the state after all events whose log_time is not later.';

--
-- Name: container_host_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.container_host_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.container_host
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.container_id, r.host_name, r.jmx_url, r.jmx_tunneling_url, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.container_host_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION container_host_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.container_host_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.container_host after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

--
-- Name: explain(text, text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.explain(job_name text, job_id text, task_name text, at timestamp with time zone) RETURNS TABLE(system_name text, stream_name text, partition_id integer, key_bucket integer, step integer, rule text, candidate text, outcome text, reason text, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text, stream_kind text, incarnation integer, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select r.*
  from (
    select n.coordinator_log, n.coordinator_incarnation, null::bigint as coordinator_cut, n.checkpoint_log, n.checkpoint_incarnation, null::bigint as checkpoint_cut
    from projection.current_job n where n.job_name = $1 and n.job_id = $2 and $4 is null
    union all
    select a.coordinator_log, a.coordinator_incarnation, a.coordinator_cut, a.checkpoint_log, a.checkpoint_incarnation, a.checkpoint_cut
    from projection.job_at($1, $2, $4) a where $4 is not null) j
  cross join lateral projection.explain_starting_offsets(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                         j.checkpoint_log, j.checkpoint_incarnation, j.checkpoint_cut, $3, coalesce($4, now())) r
  where $3 is not null                             -- for starting_offset_state, null is every task
  order by r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.step
$_$;

--
-- Name: FUNCTION explain(job_name text, job_id text, task_name text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.explain(job_name text, job_id text, task_name text, at timestamp with time zone) IS 'Why a task starts each of its partitions where it does, at a time (null: now). One row per candidate, in the order of the decision: every startpoint, reset, checkpoint and default, with the event that it comes from. outcome is wins (one per partition, what starting_offset shows), loses or absent (no candidate for the rule). reason begins with a short code and a colon. A partition that is assigned but not among the job''s inputs has the rule input and no winner. If the job has no assignments at all, the partitions are those of its tasks'' checkpoints, and each has a first row with the rule input that says this.
Key: system_name, stream_name, partition_id, key_bucket, step.';

--
-- Name: fingerprint(text, text); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.fingerprint(job_name text, job_id text) RETURNS TABLE(relation text, row_count bigint, fingerprint text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $_$
declare
  logs constant integer[] := array(select j.log_id from projection.job_log j where j.job_name = $1 and j.job_id = $2);
  stored record;
begin
  if logs = '{}' then
    raise no_data_found using message = format('No job "%s" with id "%s".', $1, $2),
      hint = 'Job names and ids are listed in coordinator.job.';
  end if;
  for stored in
    select c.relname, bool_or(a.attname = 'key_id') as has_key,
      string_agg(format('t.%I', a.attname), ', ' order by a.attname)
        filter (where a.attname not in ('log_id', 'key_id', 'incarnation', 'archived_at', 'key_sha256')) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'projection'::regnamespace and c.relname not in ('gap', 'position')
      and (c.relkind in ('r', 'p') and not c.relispartition or c.relname in ('archived_event', 'log_gap'))
    group by c.relname
    having bool_or(a.attname = 'log_id')
    order by c.relname
  loop
    relation := stored.relname;
    execute format($query$
      select count(*), left(encode(sha256(convert_to(concat_ws(' ', count(*), sum(hashint8extended(
        hash_record_extended(row(%s), hashtextextended(j.stream_kind, 0)%s), 0))), 'UTF8')), 'hex'), 32)
      from projection.%I t
      join projection.job_log j using (log_id) %s
      where t.log_id = any ($1)
    $query$, stored.columns,
      case when stored.has_key then '# coalesce(k.hash, 0)' end,
      stored.relname,
      case when stored.has_key then $join$left join (
        select k.log_id, k.key_id, hash_record_extended(row(k.key_sha256), 0) as hash
        from projection.event_key k where k.log_id = any ($1)) k using (log_id, key_id)$join$ end)
    into row_count, fingerprint using logs;
    return next;
  end loop;
end
$_$;

--
-- Name: FUNCTION fingerprint(job_name text, job_id text); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.fingerprint(job_name text, job_id text) IS 'The number of rows of a job in each table of the schema projection, and in archived_event and log_gap there, with a fingerprint of them: 32 hexadecimal digits that are equal for equal rows, whether these were followed, imported or rebuilt, in this database or another. All relations are made of these rows: if a relation differs, so does one of the fingerprints. Compare it with that of another database, or with an earlier one. What depends on the clock, on the follower or on the database is left out: positions, the bytes of archived events and when they were archived, and the numbers of logs, incarnations and keys. Secrets count with their masked values, which differ between installations with different mask keys. Compare only fingerprints of the same version of coordstream. Reads every row once; raises for an unknown job.';

--
-- Name: input_offset_at(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.input_offset_at(job_name text, job_id text, at timestamp with time zone) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, input_offset text, input_offset_number bigint, record_time timestamp with time zone, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket, c.input_offset, c.input_offset_number, c.record_time, c.log_offset
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.checkpoint_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) c
  where j.coordinator_log is not null or j.checkpoint_log is not null
$_$;

--
-- Name: FUNCTION input_offset_at(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.input_offset_at(job_name text, job_id text, at timestamp with time zone) IS 'Where each task of a job stood in its inputs at a time: the last processed offset of its last checkpoint by then, with the time and the offset of that event. A task can have been further by then; it writes a checkpoint every `task.commit.ms`, by default each minute. Raises below the retained horizon.
Key: task_name, system_name, stream_name, partition_id, key_bucket.';

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
-- Name: job_coordinator_metadata; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.job_coordinator_metadata AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.cluster_type,
    r.epoch_id,
    r.config_id,
    r.job_model_id,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.job_coordinator_metadata r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW job_coordinator_metadata; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.job_coordinator_metadata IS 'The metadata of the last job coordinator, for each cluster type. A job coordinator that finds its own values here leaves the running containers alone.
Key: job_name, job_id, cluster_type.';

--
-- Name: COLUMN job_coordinator_metadata.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN job_coordinator_metadata.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN job_coordinator_metadata.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN job_coordinator_metadata.cluster_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.cluster_type IS 'The type of cluster that the coordinator runs on: YARN or NON_YARN.';

--
-- Name: COLUMN job_coordinator_metadata.epoch_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.epoch_id IS 'The deployment; on YARN the application id, which all attempts share. Null: the message has none.';

--
-- Name: COLUMN job_coordinator_metadata.config_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.config_id IS 'A checksum of the config keys that begin with job.autosizing and their values; 0 if there are none. Null: the message has none.';

--
-- Name: COLUMN job_coordinator_metadata.job_model_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.job_model_id IS 'A checksum of the containers with their tasks and partitions. Null: the message has none.';

--
-- Name: COLUMN job_coordinator_metadata.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN job_coordinator_metadata.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN job_coordinator_metadata.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN job_coordinator_metadata.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN job_coordinator_metadata.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN job_coordinator_metadata.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN job_coordinator_metadata.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN job_coordinator_metadata.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata.log_offset IS 'The offset of the event in its log.';

--
-- Name: job_coordinator_metadata_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.job_coordinator_metadata_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.job_coordinator_metadata
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.cluster_type, r.epoch_id, r.config_id, r.job_model_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.job_coordinator_metadata_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION job_coordinator_metadata_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.job_coordinator_metadata_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.job_coordinator_metadata at a time: the state after all events whose log_time is not later.';

--
-- Name: job_coordinator_metadata_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.job_coordinator_metadata_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.job_coordinator_metadata
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.cluster_type, r.epoch_id, r.config_id, r.job_model_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.job_coordinator_metadata_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION job_coordinator_metadata_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.job_coordinator_metadata_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.job_coordinator_metadata after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

--
-- Name: leave_receipt(text, text[], integer[], bigint[], timestamp with time zone, bigint, bigint, text); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.leave_receipt(relation_name text, column_names text[], log_ids integer[], next_offsets bigint[], as_of timestamp with time zone, row_count bigint, checksum bigint, application text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  known_ids integer[];
  known_offsets bigint[];
  new_id bigint;
begin
  select array_agg(k.log_id), array_agg(k.next_offset) into known_ids, known_offsets
  from (
    select l.log_id, max(e.next_offset) as next_offset
    from unnest($3, $4) e(log_id, next_offset) join eventlog.log l on l.log_id = e.log_id
    where e.next_offset >= 0 group by l.log_id order by l.log_id) k;
  if cardinality(known_ids) is distinct from greatest(cardinality($3), cardinality($4)) then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'Invalid logs of a receipt. Pass the id of each log once, and an offset from 0 on for each.';
  end if;
  if length($1) + length($2::text) + length($8) > 10000 then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'A receipt has names of at most 10000 characters. Shorten the name of the application, or read fewer columns.';
  end if;
  if (select count(*) from eventlog.spark_read r where r.read_by = session_user and r.read_at > now() - interval '1 day') >= 10000 then
    raise exception using errcode = 'program_limit_exceeded', message = format(
      'The user %s has left 10000 receipts within a day, which is the limit. Leave fewer receipts.', session_user);
  end if;
  insert into eventlog.spark_read (read_at, as_of, row_count, checksum, read_by, application, relation_name, column_names, log_ids, next_offsets)
  values (clock_timestamp(), $5, $6, $7, session_user, $8, $1, $2, known_ids, known_offsets)
  returning spark_read_id into new_id;
  return new_id;
end
$_$;

--
-- Name: FUNCTION leave_receipt(relation_name text, column_names text[], log_ids integer[], next_offsets bigint[], as_of timestamp with time zone, row_count bigint, checksum bigint, application text); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.leave_receipt(relation_name text, column_names text[], log_ids integer[], next_offsets bigint[], as_of timestamp with time zone, row_count bigint, checksum bigint, application text) IS 'Adds a receipt to coordinator.spark_read and returns its number; `read_relation` calls it. The receipt is in the name of the user of the session, who can leave at most 10000 a day. Raises for an unknown log, for an offset below 0, and for null.';

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
-- Name: counted_commit; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.counted_commit AS
 SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    c.task_name,
    c.checkpoint_version,
    c.grouper_factory,
    c.log_id,
    c.key_id,
    c.layout_id,
    c.checkpoint_id,
    c.offsets,
    c.offsets_odd,
    c.other_version_time,
    c.changelogs,
    c.store_names,
    c.versions,
    c.max_age,
    c.origin,
    c.operation,
    c.is_preferred,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset,
    l.*::projection.checkpoint_layout AS layout,
    COALESCE((cardinality(l.input_streams) -
        CASE
            WHEN ((c.checkpoint_version = 1) AND (l.input_streams && c.changelogs)) THEN ( SELECT (count(*))::integer AS count
               FROM unnest(l.input_streams) s(s)
              WHERE (s.s = ANY (c.changelogs)))
            ELSE 0
        END), 0) AS partition_count
   FROM (projection.commit c
     LEFT JOIN projection.checkpoint_layout l ON (((l.log_id = c.log_id) AND (l.layout_id = c.layout_id))));

--
-- Name: commit_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.commit_history AS
 SELECT job_name,
    job_id,
    job_bucket,
    task_name,
    checkpoint_version,
    checkpoint_id,
    is_preferred,
    partition_count,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.counted_commit c
  WHERE (layout_id IS NOT NULL);

--
-- Name: VIEW commit_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.commit_history IS 'One row per commit of a task, without its partitions: many times cheaper than checkpoint_history for counting commits and for their times. A job that writes versions 1 and 2 has two rows per commit, of which is_preferred chooses one. For the newest commits of a job use coordinator.newest_commits, for the last one of each task coordinator.checkpoint.
Key: job_name, job_id, stream_kind, incarnation, log_offset.';

--
-- Name: COLUMN commit_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN commit_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN commit_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN commit_history.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.task_name IS 'The task.';

--
-- Name: COLUMN commit_history.checkpoint_version; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.checkpoint_version IS '0: `set-checkpoint` on the coordinator stream; 1 and 2: the two formats of the checkpoint topic.';

--
-- Name: COLUMN commit_history.checkpoint_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.checkpoint_id IS 'Identifies the commit: versions 1 and 2 of one commit have the same id. Null: versions 0 and 1 have it only if state was committed.';

--
-- Name: COLUMN commit_history.is_preferred; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.is_preferred IS 'Whether the job, with its current config, would have read this checkpoint when it was written. Of the versions of a commit, that is the first in task.checkpoint.read.versions. Another one is preferred only if the task has no earlier checkpoint of a version before it in that list, or only an outdated one. Always false in a log that checkpoints are not read from.';

--
-- Name: COLUMN commit_history.partition_count; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.partition_count IS 'The number of input partitions in the checkpoint.';

--
-- Name: COLUMN commit_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN commit_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN commit_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN commit_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN commit_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN commit_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN commit_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN commit_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.commit_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: newest_commits(text, text, bigint); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.newest_commits(job_name text, job_id text, n bigint) RETURNS SETOF coordinator.commit_history
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select c.job_name, c.job_id, c.job_bucket, c.task_name, c.checkpoint_version, c.checkpoint_id, c.is_preferred, c.partition_count,
    c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
  from projection.current_job j
  cross join lateral (                                     -- `offset 0`: event by event from the log's end, not key by key
    select e.log_id, h.key_id, e.log_offset
    from projection.archived_event e
    cross join lateral (
      select k.key_id from projection.event_key k
      where k.log_id = e.log_id and k.key_sha256 = e.key_sha256 and k.checkpoint_version is not null offset 0) k
    cross join lateral (
      select c.key_id from projection.checkpoint_event c
      where c.log_id = e.log_id and c.key_id = k.key_id and c.log_offset = e.log_offset and c.layout_id is not null offset 0) h
    where e.log_id = coalesce(j.checkpoint_log, j.coordinator_log)
      and (j.checkpoint_log is not null or exists (        -- do not read a whole coordinator stream without checkpoints
        select from projection.event_key s where s.log_id = j.coordinator_log and s.message_type = 'set-checkpoint' and not s.is_other))
    order by e.log_offset desc limit $3) n
  cross join lateral (
    select c.* from projection.counted_commit c
    where c.job_name = $1 and c.job_id = $2 and c.log_id = n.log_id and c.key_id = n.key_id and c.log_offset = n.log_offset offset 0) c
  where j.job_name = $1 and j.job_id = $2
  order by c.log_offset desc
$_$;

--
-- Name: FUNCTION newest_commits(job_name text, job_id text, n bigint); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.newest_commits(job_name text, job_id text, n bigint) IS 'The newest n rows of coordinator.commit_history in the log that the job''s checkpoints are read from, newest first. It reads only what it returns; "order by log_offset desc limit n" on the view sorts all commits of the job.';

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
ALTER TABLE ONLY eventlog.event ALTER COLUMN key SET (n_distinct_inherited=10);

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
-- Name: log_time; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.log_time (
    log_offset bigint NOT NULL,
    log_time timestamp with time zone NOT NULL,
    log_id integer NOT NULL
);

--
-- Name: message_event; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.message_event (
    log_offset bigint NOT NULL,
    record_time timestamp with time zone,
    message_time timestamp with time zone,
    log_id integer NOT NULL,
    key_id integer NOT NULL,
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
-- Name: COLUMN message_event.body; Type: COMMENT; Schema: projection; Owner: -
--

COMMENT ON COLUMN projection.message_event.body IS 'the decoded fields, secrets masked; null = delete';

--
-- Name: keyed_event; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.keyed_event AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    j.stream_kind,
    j.incarnation,
    e.log_id,
    k.message_type,
    k.message_key,
        CASE
            WHEN ((e.value IS NULL) OR ((m.log_offset IS NOT NULL) AND (m.body IS NULL))) THEN 'delete'::text
            ELSE 'set'::text
        END AS operation,
    octet_length(e.value) AS value_bytes,
    e.record_time,
    COALESCE(t.log_time, e.record_time) AS log_time,
    COALESCE(m.message_time, v.message_time) AS message_time,
    COALESCE(m.source, v.source) AS source,
    COALESCE(m.host, v.host) AS host,
    COALESCE(m.username, v.username) AS username,
    e.log_offset
   FROM (((((projection.job_log j
     JOIN eventlog.event e ON ((e.log_id = j.log_id)))
     LEFT JOIN projection.log_time t ON (((t.log_id = e.log_id) AND (t.log_offset = e.log_offset))))
     LEFT JOIN LATERAL ( SELECT any_value(k_1.key_id) AS key_id,
            any_value(k_1.checkpoint_version) AS checkpoint_version,
            any_value(k_1.message_type) AS message_type,
            any_value(k_1.message_key) AS message_key
           FROM projection.event_key k_1
          WHERE ((k_1.log_id = j.log_id) AND (k_1.key_sha256 = sha256(e.key)))) k ON (true))
     LEFT JOIN projection.message_event m ON (((k.checkpoint_version IS NULL) AND (m.log_id = e.log_id) AND (m.key_id = k.key_id) AND (m.log_offset = e.log_offset))))
     LEFT JOIN projection.checkpoint_envelope v ON ((((k.checkpoint_version = 0) OR ((k.checkpoint_version > 0) AND (e.headers IS NOT NULL))) AND (v.log_id = e.log_id) AND (v.log_offset = e.log_offset))));

--
-- Name: event; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.event AS
 SELECT job_name,
    job_id,
    job_bucket,
    message_type,
    message_key,
    operation,
    value_bytes,
    log_time,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.keyed_event e;

--
-- Name: VIEW event; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.event IS 'Every archived event, without its value, also those that Kafka has removed: for replay jobs and auditors. For the newest events of a job use coordinator.newest_events.
Key: job_name, job_id, stream_kind, incarnation, log_offset.';

--
-- Name: COLUMN event.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN event.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN event.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN event.message_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.message_type IS 'The message type, from the key. Null: the key cannot be decoded.';

--
-- Name: COLUMN event.message_key; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.message_key IS 'The rest of the key: a config key, a task or a partition; the same text for every spelling of the key. Null: the key cannot be decoded.';

--
-- Name: COLUMN event.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.operation IS '`set` or `delete`.';

--
-- Name: COLUMN event.value_bytes; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.value_bytes IS 'Length of the value in bytes. Null: a tombstone has none.';

--
-- Name: COLUMN event.log_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.log_time IS 'The time of the log at the event, on which cuts at a time are made: the newest record time so far, without those more than an hour ahead of when they were archived. It never decreases along a log.';

--
-- Name: COLUMN event.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN event.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN event.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN event.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN event.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN event.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN event.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN event.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.event.log_offset IS 'The offset of the event in its log.';

--
-- Name: newest_events(text, text, bigint); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.newest_events(job_name text, job_id text, n bigint) RETURNS SETOF coordinator.event
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select e.job_name, e.job_id, e.job_bucket, e.message_type, e.message_key, e.operation, e.value_bytes, e.log_time,
    e.record_time, e.message_time, e.source, e.host, e.username, e.stream_kind, e.incarnation, e.log_offset
  from projection.job_log j
  cross join lateral (
    select a.log_offset from projection.archived_event a where a.log_id = j.log_id order by a.log_offset desc limit $3) n
  cross join lateral (                                     -- `offset 0`: event by event
    select k.* from projection.keyed_event k where k.log_id = j.log_id and k.log_offset = n.log_offset offset 0) e
  where j.job_name = $1 and j.job_id = $2 and j.is_current
  order by j.stream_kind, e.log_offset desc
$_$;

--
-- Name: FUNCTION newest_events(job_name text, job_id text, n bigint); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.newest_events(job_name text, job_id text, n bigint) IS 'The newest n rows of coordinator.event in each of the job''s current logs, newest first. It reads only what it returns; "order by log_offset desc limit n" on the view sorts all events of the job.';

--
-- Name: processing_rate(text, text, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.processing_rate(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(task_name text, hour timestamp with time zone, records bigint, records_per_second double precision)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select s.task_name, s.hour, least(sum(s.records), 9223372036854775807)::bigint,
    sum(s.records)::double precision
      / extract(epoch from least(s.hour + interval '1 hour', $4) - greatest(s.hour, $3))
  from (
    select c.*, date_trunc('hour', c.record_time - interval '1 microsecond', 'UTC') as hour,
      greatest(c.input_offset_number::numeric - lag(c.input_offset_number) over (
        partition by c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket
        order by c.is_first desc, c.incarnation, c.log_offset), 0) as records
    from (
      select a.task_name, a.system_name, a.stream_name, a.partition_id, a.key_bucket, a.input_offset_number,
        true as is_first, 0 as incarnation, a.log_offset, null::timestamptz as record_time
      from coordinator.input_offset_at($1, $2, $3) a
      union all
      select h.task_name, h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.input_offset_number,
        false, h.incarnation, h.log_offset, h.record_time
      from projection.job_log_span($1, $2) s
      cross join lateral projection.log_cut(s.log_id, $3) k        -- what is before was written before $3
      cross join lateral (
        select c.* from coordinator.checkpoint_history c
        where c.job_name = $1 and c.job_id = $2 and c.stream_kind = s.stream_kind and c.incarnation = s.incarnation and c.log_offset > k.cut
          and c.is_preferred and c.record_time > $3 and c.record_time <= $4 offset 0) h
      where coalesce(h.log_offset > s.after_offset and h.log_offset <= s.last_offset, true)
        and h.record_time between timestamptz '4713-12-01 00:00:00+00 BC' and timestamptz '294276-12-01 00:00:00+00') c  -- so that its hour can be computed
    where c.input_offset_number is not null) s
  where not s.is_first
  group by s.task_name, s.hour
  order by s.task_name, s.hour
$_$;

--
-- Name: FUNCTION processing_rate(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.processing_rate(job_name text, job_id text, since timestamp with time zone, until timestamp with time zone) IS 'How many input records each task of a job processed from one time to another, by hour (UTC): the distance of its checkpoints'' offsets, over all of its partitions. Offsets without a record, such as those that compaction left, count as records. A checkpoint that goes back counts as 0, and one at the first instant of an hour belongs to the hour before. The rate of the first and last hour is that of the part within the range. Raises if the range begins below the retained horizon.
Key: task_name, hour.';

--
-- Name: starting_offset_state(integer, bigint, integer, bigint, timestamp with time zone, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.starting_offset_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, only_task text) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, decided_by text, startpoint_type text, startpoint_value text, starting_offset text, startpoint_log_offset bigint, checkpoint_log_offset bigint, ignored_reason text, assigned_by text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with config as (
    select coalesce(jsonb_object_agg(c.config_key, c.config_value), '{}'::jsonb) as conf from projection.config_state($1, $2) c
  ), input as (
    select i.system_name, i.stream_name from config cross join lateral projection.job_input(config.conf) i
  ), part as (
    select t.*, (t.system_name, t.stream_name) in (select i.system_name, i.stream_name from input i)
      or not exists (select from config where config.conf ?| array['task.inputs', 'task.broadcast.inputs']) as is_input
    from projection.task_input($1, $2, $3, $4, $6) t
  ), setting as (                                  -- what config says about each stream
    select s.system_name, s.stream_name,
      config.conf ->> ('systems.' || s.system_name || '.samza.factory') = 'org.apache.samza.system.kafka.KafkaSystemFactory' as is_kafka,
      (select lower(config.conf ->> o.config_key) = 'true' from projection.offset_setting(i.stream_id, s.system_name, s.stream_name) o
       where o.rule = 'reset' and config.conf ->> o.config_key is not null order by o.place limit 1) as is_reset,
      coalesce((select lower(projection.trimmed(config.conf ->> o.config_key) collate "C") from projection.offset_setting(i.stream_id, s.system_name, s.stream_name) o
       where o.rule = 'default' and config.conf ->> o.config_key is not null order by o.place limit 1), 'upcoming') as default_type
    from (select distinct p.system_name, p.stream_name from part p) s cross join config
    left join lateral projection.stream_id(config.conf) i on (i.system_name, i.stream_name) = (s.system_name, s.stream_name)
  ), candidate as (                                -- pending startpoints for the partition of a task, best first
    select p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket, r.startpoint_type, r.startpoint_value, r.log_offset,
      case when r.is_ambiguous then 'ambiguous' when r.is_expired then 'expired' when row_number() over w > 1 then 'older' end as ignored
    from part p join projection.startpoint_candidate($1, $2, $3, $4, $5) r using (system_name, stream_name, partition_id)
    where p.is_input and (r.task_name is null or r.task_name = p.task_name)
    window w as (partition by p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket
                 order by r.is_ambiguous, r.is_expired, r.created_ms desc, r.task_name nulls last, r.log_offset desc)
  ), pending as (                                  -- the one that counts, and why the best of the others does not
    select c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket,
      max(c.startpoint_type) filter (where c.ignored is null) as startpoint_type,
      max(c.startpoint_value) filter (where c.ignored is null) as startpoint_value,
      max(c.log_offset) filter (where c.ignored is null) as log_offset,
      (array['older', 'expired', 'ambiguous'])[min(array_position(array['older', 'expired', 'ambiguous'], c.ignored))] as ignored
    from candidate c
    group by c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket
  ), chosen as (
    select p.*, r.ignored, old.log_offset is not null and n.task_name is not null as is_replaced,
      case when n.task_name is null then old.startpoint_type else r.startpoint_type end as startpoint_type,
      case when n.task_name is null then old.startpoint_value else r.startpoint_value end as startpoint_value,
      case when n.task_name is null then old.log_offset else r.log_offset end as startpoint_log_offset,
      k.input_offset, k.log_offset as checkpoint_log_offset
    from part p
    left join pending r on (r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket)
      = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
    left join (select distinct c.task_name from candidate c where c.ignored is null) n on n.task_name = p.task_name
    left join projection.startpoint_fan_out_state($1, $2) old    -- for all key buckets
      on (old.task_name, old.system_name, old.stream_name, old.partition_id) = (p.task_name, p.system_name, p.stream_name, p.partition_id)
      and ($6 is null or old.task_name = $6)
    left join projection.checkpoint_state($1, $2, $3, $4) k on (k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket)
      = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket) and k.input_offset is not null
      and ($6 is null or k.task_name = $6)
  ), decided as (
    select c.*, s.is_kafka, s.default_type, case
        when not c.is_input then null
        when c.startpoint_type is not null and (c.startpoint_type in ('oldest', 'upcoming') or c.startpoint_value <> '') then 'startpoint'
        when s.is_reset then 'reset'
        when c.input_offset is not null then 'checkpoint'
        else 'default' end as decided_by
    from chosen c join setting s using (system_name, stream_name)
  )
  select d.task_name, d.system_name, d.stream_name, d.partition_id, d.key_bucket, d.decided_by,
    case d.decided_by when 'startpoint' then d.startpoint_type when 'checkpoint' then null else d.default_type end,
    case d.decided_by when 'startpoint' then d.startpoint_value end,
    case d.decided_by
      when 'startpoint' then case when d.startpoint_type = 'specific' then d.startpoint_value end
      when 'checkpoint' then
        case when d.is_kafka and d.input_offset ~ '^[+-]?[0-9]{1,19}$' then
          case when d.input_offset::numeric between -9223372036854775808 and 9223372036854775806 then (d.input_offset::numeric + 1)::text end end
      end,
    d.startpoint_log_offset,
    d.checkpoint_log_offset,
    case
      when d.startpoint_type is not null and d.decided_by <> 'startpoint' then 'no place'
      when d.ignored is not null then d.ignored
      when d.is_replaced then 'replaced'
      when d.input_offset is not null and d.decided_by in ('startpoint', 'reset') then d.decided_by
    end,
    d.assigned_by
  from decided d
$_$;

--
-- Name: current_job; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.current_job AS
 SELECT job_name,
    job_id,
    job_bucket,
    job_suffix,
    max(log_id) FILTER (WHERE (stream_kind = 'coordinator'::text)) AS coordinator_log,
    max(incarnation) FILTER (WHERE (stream_kind = 'coordinator'::text)) AS coordinator_incarnation,
    max(log_id) FILTER (WHERE (stream_kind = 'checkpoint'::text)) AS checkpoint_log,
    max(incarnation) FILTER (WHERE (stream_kind = 'checkpoint'::text)) AS checkpoint_incarnation
   FROM projection.job_log j
  WHERE is_current
  GROUP BY job_name, job_id, job_bucket, job_suffix;

--
-- Name: starting_offset; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.starting_offset AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.system_name,
    r.stream_name,
    r.partition_id,
    r.key_bucket,
    r.decided_by,
    r.startpoint_type,
    r.startpoint_value,
    r.starting_offset,
    r.startpoint_log_offset,
    r.checkpoint_log_offset,
    r.ignored_reason,
    r.assigned_by
   FROM (projection.current_job j
     CROSS JOIN LATERAL projection.starting_offset_state(j.coordinator_log, coordinator_cut => NULL::bigint, checkpoint_log => j.checkpoint_log, checkpoint_cut => NULL::bigint, at => now(), only_task => NULL::text) r(task_name, system_name, stream_name, partition_id, key_bucket, decided_by, startpoint_type, startpoint_value, starting_offset, startpoint_log_offset, checkpoint_log_offset, ignored_reason, assigned_by))
  WHERE (r.decided_by IS NOT NULL);

--
-- Name: VIEW starting_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.starting_offset IS 'Where the next start, as a new deployment, would begin each partition of each task, and which rule decides: startpoint, reset, checkpoint or default, in this order. The partitions are those assigned to the tasks; if the job has no assignments at all (it uses only the managers, not Samza''s job coordinator), those in the tasks'' checkpoints. Streams that are not among the job''s inputs are left out. Expiry is judged now (in the as-of function: at its time).
Key: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';

--
-- Name: COLUMN starting_offset.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN starting_offset.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN starting_offset.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN starting_offset.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.task_name IS 'The task.';

--
-- Name: COLUMN starting_offset.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.system_name IS 'The system of the partition.';

--
-- Name: COLUMN starting_offset.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN starting_offset.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN starting_offset.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN starting_offset.decided_by; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.decided_by IS 'The rule that decides: `startpoint`, `reset` (config says to ignore the checkpoint), `checkpoint`, or `default` (from config, else upcoming).';

--
-- Name: COLUMN starting_offset.startpoint_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.startpoint_type IS 'Where the task starts: `oldest`, `upcoming`, `specific` or `timestamp`. Null: a checkpoint decides.';

--
-- Name: COLUMN starting_offset.startpoint_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.startpoint_value IS 'The offset of `specific`, the time in ms since 1970 of `timestamp`. Null: another type, or another rule decides.';

--
-- Name: COLUMN starting_offset.starting_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.starting_offset IS 'The first offset to read; for a checkpoint of a Kafka input, the one after it. Null: only the input system can tell.';

--
-- Name: COLUMN starting_offset.startpoint_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.startpoint_log_offset IS 'The event of the coordinator stream that has the startpoint, also if the startpoint is ignored because of `no place`. Null: no startpoint applies.';

--
-- Name: COLUMN starting_offset.checkpoint_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.checkpoint_log_offset IS 'The event that has the partition''s checkpoint, whether it decides or not. Null: the partition has no checkpoint.';

--
-- Name: COLUMN starting_offset.ignored_reason; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.ignored_reason IS 'Why the best candidate that does not decide is ignored. A startpoint: `older` (than another startpoint), `expired`, `ambiguous`, `replaced` (by a newer fan-out) or `no place` (it has no offset or time). A checkpoint: `startpoint` or `reset` (which take precedence). Null: no candidate is ignored.';

--
-- Name: COLUMN starting_offset.assigned_by; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.starting_offset.assigned_by IS 'What shows that the task reads the partition: `assignment`, or `checkpoint` if the job has no assignments.';

--
-- Name: starting_offset_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.starting_offset_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.starting_offset
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.starting_offset_state(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, at => $3, only_task => null) r
  where r.decided_by is not null
$_$;

--
-- Name: FUNCTION starting_offset_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.starting_offset_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.starting_offset at a time: the state after all events whose log_time is not later. Expiry is judged at that time.';

--
-- Name: startpoint_state(integer, integer, bigint, integer, bigint, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_state(log_id integer, incarnation integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone) RETURNS TABLE(system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text, startpoint_type text, startpoint_value text, created_at timestamp with time zone, expires_at timestamp with time zone, is_expired boolean, is_ambiguous boolean, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text, stream_kind text, incarnation integer, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.startpoint_type, r.startpoint_value,
    projection.to_time(r.created_ms), projection.startpoint_expires_at(r.created_ms),
    projection.is_expired(r.created_ms, $6), r.is_ambiguous,
    r.record_time, null::timestamptz, null::text, r.host, r.username, 'coordinator', $2, r.log_offset
  from projection.pending_startpoint($1, $3, $4, $5) r
$_$;

--
-- Name: startpoint; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.startpoint AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.system_name,
    r.stream_name,
    r.partition_id,
    r.key_bucket,
    r.task_name,
    r.startpoint_type,
    r.startpoint_value,
    r.created_at,
    r.expires_at,
    r.is_expired,
    r.is_ambiguous,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    r.stream_kind,
    r.incarnation,
    r.log_offset
   FROM (projection.current_job j
     CROSS JOIN LATERAL projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, cut => NULL::bigint, checkpoint_log => j.checkpoint_log, checkpoint_cut => NULL::bigint, at => now()) r(system_name, stream_name, partition_id, key_bucket, task_name, startpoint_type, startpoint_value, created_at, expires_at, is_expired, is_ambiguous, record_time, message_time, source, host, username, stream_kind, incarnation, log_offset));

--
-- Name: VIEW startpoint; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.startpoint IS 'Startpoints that are requested and not yet fanned out. The next start of the job fans them out to its tasks, unless they have expired (12 hours after their creation) or are ambiguous; such startpoints stay on the log. For a partition, the newest request wins; of two created at the same time, the one for the task alone.
Key: job_name, job_id, system_name, stream_name, partition_id, key_bucket, task_name.';

--
-- Name: COLUMN startpoint.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN startpoint.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN startpoint.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN startpoint.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.system_name IS 'The system of the partition.';

--
-- Name: COLUMN startpoint.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN startpoint.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN startpoint.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN startpoint.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.task_name IS 'The task that the startpoint is for. Null: every task that reads the partition.';

--
-- Name: COLUMN startpoint.startpoint_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.startpoint_type IS 'Where to start: `oldest`, `upcoming`, `specific` (at an offset) or `timestamp`.';

--
-- Name: COLUMN startpoint.startpoint_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.startpoint_value IS 'The offset of `specific`, the time in ms since 1970 of `timestamp`. Null: the other types have none.';

--
-- Name: COLUMN startpoint.created_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.created_at IS 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN startpoint.expires_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.expires_at IS '12 hours after created_at. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN startpoint.is_expired; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.is_expired IS 'Whether the startpoint has expired now (in the as-of functions: at their time).';

--
-- Name: COLUMN startpoint.is_ambiguous; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.is_ambiguous IS 'Whether the key on the log can be read in several ways (names with dots) and the partitions that the tasks read do not decide which one is meant.';

--
-- Name: COLUMN startpoint.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN startpoint.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN startpoint.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN startpoint.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN startpoint.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN startpoint.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN startpoint.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN startpoint.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint.log_offset IS 'The offset of the event in its log.';

--
-- Name: startpoint_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.startpoint_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.startpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at($1, $2, $3) j
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, $3) r
  where j.coordinator_log is not null
$_$;

--
-- Name: FUNCTION startpoint_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.startpoint_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.startpoint at a time: the state after all events whose log_time is not later. Expiry is judged at that time.';

--
-- Name: startpoint_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.startpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
  cross join lateral projection.log_time_at(j.coordinator_log, j.coordinator_cut) t
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, t.at) r
  where j.coordinator_log is not null
$_$;

--
-- Name: FUNCTION startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.startpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.startpoint after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time, and expiry is judged at that time.';

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
-- Name: startpoint_fan_out; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.startpoint_fan_out AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.system_name,
    r.stream_name,
    r.partition_id,
    r.key_bucket,
    r.startpoint_type,
    r.startpoint_value,
    r.created_at,
    r.fanned_out_at,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.startpoint_fan_out r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW startpoint_fan_out; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.startpoint_fan_out IS 'Startpoints that were fanned out to tasks and are not yet consumed. A task removes a partition from its fan-out after it has written the partition''s checkpoint again. A fanned-out startpoint never expires.
Key: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';

--
-- Name: COLUMN startpoint_fan_out.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN startpoint_fan_out.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN startpoint_fan_out.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN startpoint_fan_out.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.task_name IS 'The task.';

--
-- Name: COLUMN startpoint_fan_out.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.system_name IS 'The system of the partition.';

--
-- Name: COLUMN startpoint_fan_out.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN startpoint_fan_out.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN startpoint_fan_out.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN startpoint_fan_out.startpoint_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.startpoint_type IS 'Where to start: `oldest`, `upcoming`, `specific` (at an offset) or `timestamp`.';

--
-- Name: COLUMN startpoint_fan_out.startpoint_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.startpoint_value IS 'The offset of `specific`, the time in ms since 1970 of `timestamp`. Null: the other types have none.';

--
-- Name: COLUMN startpoint_fan_out.created_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.created_at IS 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN startpoint_fan_out.fanned_out_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.fanned_out_at IS 'When the startpoint was fanned out to the task. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN startpoint_fan_out.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN startpoint_fan_out.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN startpoint_fan_out.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN startpoint_fan_out.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN startpoint_fan_out.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN startpoint_fan_out.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN startpoint_fan_out.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN startpoint_fan_out.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_fan_out.log_offset IS 'The offset of the event in its log.';

--
-- Name: startpoint_fan_out_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.startpoint_fan_out_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.startpoint_fan_out
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.startpoint_type, r.startpoint_value, r.created_at, r.fanned_out_at, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.startpoint_fan_out_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION startpoint_fan_out_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.startpoint_fan_out_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.startpoint_fan_out at a time: the state after all events whose log_time is not later.';

--
-- Name: startpoint_fan_out_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.startpoint_fan_out_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.startpoint_fan_out
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.startpoint_type, r.startpoint_value, r.created_at, r.fanned_out_at, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.startpoint_fan_out_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION startpoint_fan_out_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.startpoint_fan_out_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.startpoint_fan_out after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

--
-- Name: startpoint_history_state(integer, integer, bigint, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_history_state(log_id integer, incarnation integer, cut bigint, at timestamp with time zone) RETURNS TABLE(system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text, startpoint_type text, startpoint_value text, created_at timestamp with time zone, status text, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text, stream_kind text, incarnation integer, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with requested as (
    select a.* from projection.startpoint_requested($1, $3) a
  ), fanned_out as (
    select h.* from projection.startpoint_fanned_out($1, $3) h
  ), fan_out_of_request as (                       -- fan-outs of the partition while the request is pending
    select a.log_offset,
      (h.startpoint_type, h.created_ms) = (a.startpoint_type, a.created_ms) and h.startpoint_value is not distinct from a.startpoint_value as is_same,
      (h.created_ms > a.created_ms or h.created_ms = a.created_ms and a.task_name is null)
        and not projection.is_expired(a.created_ms, h.record_time) as is_later,
      h.record_time as fan_out_time, h.host, h.username, h.log_offset as fan_out_offset
    from requested a join fanned_out h using (system_name, stream_name, partition_id)
    where not a.is_ambiguous and (a.task_name is null or a.task_name = h.task_name)
      and h.log_offset > a.log_offset and h.log_offset < coalesce(a.end_offset, 9223372036854775807)
  ), outcome as (
    select m.log_offset, bool_or(m.is_same) as is_fanned_out, min(m.fan_out_offset) filter (where m.is_later and not m.is_same) as superseded_offset,
      (array_agg(m.fan_out_time order by m.fan_out_offset) filter (where m.is_later and not m.is_same))[1] as superseded_time,
      (array_agg(m.host order by m.fan_out_offset) filter (where m.is_later and not m.is_same))[1] as superseded_host,
      (array_agg(m.username order by m.fan_out_offset) filter (where m.is_later and not m.is_same))[1] as superseded_username
    from fan_out_of_request m group by m.log_offset
  ), not_fanned_out as (
    select a.*, o.superseded_offset, o.superseded_time, o.superseded_host, o.superseded_username, projection.startpoint_expires_at(a.created_ms) as expires_at
    from requested a left join outcome o using (log_offset)
    where o.is_fanned_out is not true
  ), step as (
    select a.system_name, a.stream_name, a.partition_id, -1 as key_bucket, a.task_name, a.startpoint_type, a.startpoint_value, a.created_ms,
      'requested' as status, a.record_time, a.host, a.username, a.log_offset
    from requested a
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      'superseded', u.superseded_time, u.superseded_host, u.superseded_username, u.superseded_offset
    from not_fanned_out u where u.superseded_offset is not null
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      case when u.is_overwritten then 'superseded' else 'deleted' end, u.end_time, u.end_host, u.end_username, u.end_offset
    from not_fanned_out u where u.superseded_offset is null and u.end_offset is not null
    union all
    select u.system_name, u.stream_name, u.partition_id, -1, u.task_name, u.startpoint_type, u.startpoint_value, u.created_ms,
      'expired', u.expires_at, null, null, null
    from not_fanned_out u
    where projection.is_expired(u.created_ms, $4)
      and coalesce(u.expires_at <= coalesce(u.superseded_time, u.end_time), coalesce(u.superseded_offset, u.end_offset) is null)
    union all
    select h.system_name, h.stream_name, h.partition_id, h.key_bucket, h.task_name, h.startpoint_type, h.startpoint_value, h.created_ms,
      'fanned_out', h.record_time, h.host, h.username, h.log_offset
    from fanned_out h
    union all
    select r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.startpoint_type, r.startpoint_value, r.created_ms,
      r.status, r.record_time, r.host, r.username, r.log_offset
    from projection.startpoint_removed($1, $3) r
  )
  select s.system_name, s.stream_name, s.partition_id, s.key_bucket, s.task_name, s.startpoint_type, s.startpoint_value,
    projection.to_time(s.created_ms), s.status, s.record_time, null::timestamptz, null::text, s.host, s.username, 'coordinator', $2, s.log_offset
  from step s
  cross join projection.base_end($1) b
  where s.status = 'requested' or coalesce(s.log_offset > b.last_offset, true)
$_$;

--
-- Name: startpoint_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.startpoint_history AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.system_name,
    r.stream_name,
    r.partition_id,
    r.key_bucket,
    r.task_name,
    r.startpoint_type,
    r.startpoint_value,
    r.created_at,
    r.status,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    r.stream_kind,
    r.incarnation,
    r.log_offset
   FROM (projection.job_log j
     CROSS JOIN LATERAL projection.startpoint_history_state(j.log_id, j.incarnation, cut => NULL::bigint, at => now()) r(system_name, stream_name, partition_id, key_bucket, task_name, startpoint_type, startpoint_value, created_at, status, record_time, message_time, source, host, username, stream_kind, incarnation, log_offset))
  WHERE (j.stream_kind = 'coordinator'::text);

--
-- Name: VIEW startpoint_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.startpoint_history IS 'Every step of every startpoint: requested; then superseded, deleted or expired, or fanned out to tasks and there consumed, refused, superseded or deleted. Whether a request has expired is judged now (in the as-of function: at its time). After a retention: the steps beyond the horizon, and the requests that were pending there.
Key: job_name, job_id, stream_kind, incarnation, log_offset, system_name, stream_name, partition_id, key_bucket, task_name, created_at, status.';

--
-- Name: COLUMN startpoint_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN startpoint_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN startpoint_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN startpoint_history.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.system_name IS 'The system of the partition.';

--
-- Name: COLUMN startpoint_history.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN startpoint_history.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN startpoint_history.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN startpoint_history.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.task_name IS 'The task that the startpoint was requested for or fanned out to. Null: requested for every task.';

--
-- Name: COLUMN startpoint_history.startpoint_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.startpoint_type IS 'oldest, upcoming, specific or timestamp.';

--
-- Name: COLUMN startpoint_history.startpoint_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.startpoint_value IS 'The next offset to read, or a time in ms since 1970. Null: oldest and upcoming have none.';

--
-- Name: COLUMN startpoint_history.created_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.created_at IS 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN startpoint_history.status; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.status IS 'requested; superseded: overwritten, or another startpoint won the fan-out; fanned_out: to the task; consumed: removed from the fan-out after the partition''s checkpoint was written again; refused: the same, but that checkpoint continues from the old position; expired: not fanned out within 12 hours of its creation; deleted: removed before it was consumed.';

--
-- Name: COLUMN startpoint_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.record_time IS 'The time of the step''s log record; for expired, when the startpoint expired. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN startpoint_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.message_time IS 'Startpoints have no envelope. Null: always.';

--
-- Name: COLUMN startpoint_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.source IS 'Startpoints have no envelope. Null: always.';

--
-- Name: COLUMN startpoint_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.host IS 'The host of the step''s writer, from the headers that coordstream writes. Null: another program wrote the event, or the startpoint expired, which is not an event.';

--
-- Name: COLUMN startpoint_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.username IS 'The user who wrote the step, from the headers that coordstream writes. Null: another program wrote the event, or the startpoint expired, which is not an event.';

--
-- Name: COLUMN startpoint_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN startpoint_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN startpoint_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.startpoint_history.log_offset IS 'The offset of the step''s event. Null: the startpoint expired, which is not an event.';

--
-- Name: startpoint_history_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.startpoint_history_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.startpoint_history
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.job_log j
  cross join lateral (select projection.retained_cut(j.log_id, x.cut) as cut from projection.log_cut(j.log_id, $3) x where x.cut >= 0 offset 0) c
  cross join lateral projection.startpoint_history_state(j.log_id, j.incarnation, c.cut, $3) r
  where j.job_name = $1 and j.job_id = $2 and j.stream_kind = 'coordinator'
$_$;

--
-- Name: FUNCTION startpoint_history_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.startpoint_history_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.startpoint_history at a time: the steps of all events whose log_time is not later. Expiry is judged at that time.';

--
-- Name: state_checkpoint; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.state_checkpoint AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.store_name,
    r.factory_name,
    r.marker,
    r.changelog_system,
    r.changelog_stream,
    r.changelog_partition,
    r.changelog_offset,
    r.checkpoint_id,
    r.checkpoint_version,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.state_checkpoint r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW state_checkpoint; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.state_checkpoint IS 'The state in the checkpoint that each task would start from: how far each store was backed up when the checkpoint was written, one row per store and backend. Checkpoints of version 1 have changelogs without stores; if config does not name the store of a changelog, store_name is empty, and the changelog distinguishes the rows.
Key: job_name, job_id, task_name, store_name, factory_name, changelog_system, changelog_stream, changelog_partition.';

--
-- Name: COLUMN state_checkpoint.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN state_checkpoint.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN state_checkpoint.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN state_checkpoint.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.task_name IS 'The task.';

--
-- Name: COLUMN state_checkpoint.store_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.store_name IS 'The store; empty if version 1 has a changelog for which config names no store.';

--
-- Name: COLUMN state_checkpoint.factory_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.factory_name IS 'The factory class of the state backend.';

--
-- Name: COLUMN state_checkpoint.marker; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.marker IS 'What the backend wrote to find its backup again. Null: version 1 has no markers.';

--
-- Name: COLUMN state_checkpoint.changelog_system; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.changelog_system IS 'The system of the changelog. Null: the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_checkpoint.changelog_stream; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.changelog_stream IS 'The stream of the changelog. Null: the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_checkpoint.changelog_partition; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.changelog_partition IS 'The partition of the changelog. Null: the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_checkpoint.changelog_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.changelog_offset IS 'The last offset of the changelog that is part of the checkpoint. Null: the changelog was empty, or the backend keeps none in Kafka.';

--
-- Name: COLUMN state_checkpoint.checkpoint_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.checkpoint_id IS 'Identifies the commit: a time in ms and a part that distinguishes commits of the same time. Null: version 1 has it only in changelog offsets that include it.';

--
-- Name: COLUMN state_checkpoint.checkpoint_version; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.checkpoint_version IS '0: `set-checkpoint` on the coordinator stream; 1 and 2: the two formats of the checkpoint topic.';

--
-- Name: COLUMN state_checkpoint.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN state_checkpoint.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN state_checkpoint.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN state_checkpoint.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN state_checkpoint.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN state_checkpoint.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN state_checkpoint.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN state_checkpoint.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint.log_offset IS 'The offset of the event in its log.';

--
-- Name: state_checkpoint_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.state_checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.state_checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.store_name, r.factory_name, r.marker, r.changelog_system, r.changelog_stream, r.changelog_partition, r.changelog_offset, r.checkpoint_id, r.checkpoint_version, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.state_checkpoint_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: FUNCTION state_checkpoint_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.state_checkpoint_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.state_checkpoint at a time: the state after all events whose log_time is not later.';

--
-- Name: state_checkpoint_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.state_checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.state_checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.store_name, r.factory_name, r.marker, r.changelog_system, r.changelog_stream, r.changelog_partition, r.changelog_offset, r.checkpoint_id, r.checkpoint_version, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, $4, $5) j
        cross join lateral projection.state_checkpoint_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: FUNCTION state_checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.state_checkpoint_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.state_checkpoint after the event at log_offset (inclusive), an offset of the log that the job''s checkpoints are read from unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

--
-- Name: state_lag_at(integer, bigint, integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.state_lag_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) RETURNS TABLE(task_name text, store_name text, factory_name text, marker text, changelog_system text, changelog_stream text, changelog_partition integer, changelog_offset text, commits_since_change bigint, changed_at timestamp with time zone, age_seconds bigint, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text, log_id integer, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select s.task_name, s.store_name, s.factory_name, s.marker, s.changelog_system, s.changelog_stream,
    s.changelog_partition, s.changelog_offset, c.commits_since_change, c.changed_at,
    case when (c.changed_at, s.record_time) is not null
      then greatest(extract(epoch from projection.time_between(c.changed_at, s.record_time)), 0)::bigint end,
    s.record_time, s.message_time, s.source, s.host, s.username, s.log_id, s.log_offset
  from projection.state_checkpoint_state($1, $2, $3, $4) s
  cross join lateral projection.state_change(s.log_id, s.task_name, s.checkpoint_version, s.log_offset, s.store_name, s.factory_name,
    s.marker, s.changelog_system, s.changelog_stream, s.changelog_partition, s.changelog_offset) c
$_$;

--
-- Name: state_lag; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.state_lag AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.store_name,
    r.factory_name,
    r.marker,
    r.changelog_system,
    r.changelog_stream,
    r.changelog_partition,
    r.changelog_offset,
    r.commits_since_change,
    r.changed_at,
    r.age_seconds,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
        CASE
            WHEN (j.checkpoint_log IS NULL) THEN 'coordinator'::text
            ELSE 'checkpoint'::text
        END AS stream_kind,
        CASE
            WHEN (j.checkpoint_log IS NULL) THEN j.coordinator_incarnation
            ELSE j.checkpoint_incarnation
        END AS incarnation,
    r.log_offset
   FROM (projection.current_job j
     CROSS JOIN LATERAL projection.state_lag_at(j.coordinator_log, NULL::bigint, j.checkpoint_log, NULL::bigint, NULL::integer[]) r(task_name, store_name, factory_name, marker, changelog_system, changelog_stream, changelog_partition, changelog_offset, commits_since_change, changed_at, age_seconds, record_time, message_time, source, host, username, log_id, log_offset));

--
-- Name: VIEW state_lag; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.state_lag IS 'For how many commits, and for how long, the backup of each store has not changed: the rows of state_checkpoint, with the commits of the same version since the marker last changed. A store that the task does not write does not change either; compare it with the stores and tasks beside it. Reads these commits: about 0.1 s for 10,000 of them. After a retention: only commits beyond the horizon count.
Key: job_name, job_id, task_name, store_name, factory_name, changelog_system, changelog_stream, changelog_partition.';

--
-- Name: COLUMN state_lag.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN state_lag.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN state_lag.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN state_lag.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.task_name IS 'The task.';

--
-- Name: COLUMN state_lag.store_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.store_name IS 'The store; empty if version 1 has a changelog for which config names no store.';

--
-- Name: COLUMN state_lag.factory_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.factory_name IS 'The factory class of the state backend.';

--
-- Name: COLUMN state_lag.marker; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.marker IS 'What the backend wrote to find its backup again. Null: version 1 has no markers; changelog_offset says how far the store was backed up.';

--
-- Name: COLUMN state_lag.changelog_system; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.changelog_system IS 'The system of the changelog. Null: the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_lag.changelog_stream; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.changelog_stream IS 'The stream of the changelog. Null: the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_lag.changelog_partition; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.changelog_partition IS 'The partition of the changelog. Null: the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_lag.changelog_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.changelog_offset IS 'The last offset of the changelog that is part of the checkpoint. Null: the changelog was empty, or the backend keeps none in Kafka.';

--
-- Name: COLUMN state_lag.commits_since_change; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.commits_since_change IS 'The number of commits after the one that changed the marker; 0 if the last commit did.';

--
-- Name: COLUMN state_lag.changed_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.changed_at IS 'The record time of the commit that changed the marker. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN state_lag.age_seconds; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.age_seconds IS 'The time from changed_at to record_time, the task''s last commit, in whole seconds. Null: timestamptz cannot represent one of the times.';

--
-- Name: COLUMN state_lag.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN state_lag.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN state_lag.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN state_lag.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN state_lag.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN state_lag.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN state_lag.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN state_lag.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_lag.log_offset IS 'The offset of the event in its log.';

--
-- Name: state_lag_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.state_lag_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.state_lag
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.store_name, r.factory_name, r.marker, r.changelog_system, r.changelog_stream, r.changelog_partition, r.changelog_offset, r.commits_since_change, r.changed_at, r.age_seconds, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.state_lag_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: FUNCTION state_lag_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.state_lag_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.state_lag at a time: the state after all events whose log_time is not later.';

--
-- Name: state_lag_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.state_lag_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.state_lag
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.store_name, r.factory_name, r.marker, r.changelog_system, r.changelog_stream, r.changelog_partition, r.changelog_offset, r.commits_since_change, r.changed_at, r.age_seconds, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, $4, $5) j
        cross join lateral projection.state_lag_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: FUNCTION state_lag_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.state_lag_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.state_lag after the event at log_offset (inclusive), an offset of the log that the job''s checkpoints are read from unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

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
-- Name: task_container; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_container AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.container_id,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.task_container r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW task_container; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_container IS 'The container that runs each task.
Key: job_name, job_id, task_name.';

--
-- Name: COLUMN task_container.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_container.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_container.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_container.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.task_name IS 'The task.';

--
-- Name: COLUMN task_container.container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.container_id IS 'The id of the container within the job.';

--
-- Name: COLUMN task_container.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN task_container.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN task_container.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN task_container.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_container.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_container.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN task_container.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN task_container.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container.log_offset IS 'The offset of the event in its log.';

--
-- Name: task_container_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.task_container_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.task_container
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.container_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.task_container_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION task_container_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.task_container_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.task_container at a time: the state after all events whose log_time is not later.';

--
-- Name: task_container_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.task_container_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.task_container
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.container_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.task_container_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION task_container_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.task_container_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.task_container after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

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
-- Name: task_mode; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_mode AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.task_mode,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.task_mode r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW task_mode; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_mode IS 'Whether each task is active or a standby.
Key: job_name, job_id, task_name.';

--
-- Name: COLUMN task_mode.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_mode.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_mode.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_mode.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.task_name IS 'The task.';

--
-- Name: COLUMN task_mode.task_mode; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.task_mode IS 'Active or Standby; the name of a standby task is Standby-<task>-<n>.';

--
-- Name: COLUMN task_mode.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN task_mode.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN task_mode.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN task_mode.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_mode.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_mode.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN task_mode.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN task_mode.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode.log_offset IS 'The offset of the event in its log.';

--
-- Name: task_mode_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.task_mode_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.task_mode
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.task_mode, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.task_mode_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION task_mode_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.task_mode_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.task_mode at a time: the state after all events whose log_time is not later.';

--
-- Name: task_mode_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.task_mode_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.task_mode
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.task_mode, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.task_mode_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION task_mode_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.task_mode_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.task_mode after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

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
-- Name: task_partition; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_partition AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.system_name,
    r.stream_name,
    r.partition_id,
    r.key_bucket,
    r.task_name,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.task_partition r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW task_partition; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_partition IS 'Which tasks read which input partition: one row per partition and task, since several tasks read a partition of a broadcast input. Partitions of inputs that the job no longer has stay here, as they do on the log.
Key: job_name, job_id, system_name, stream_name, partition_id, key_bucket, task_name.';

--
-- Name: COLUMN task_partition.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_partition.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_partition.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_partition.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.system_name IS 'The system of the partition.';

--
-- Name: COLUMN task_partition.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN task_partition.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN task_partition.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN task_partition.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.task_name IS 'The task.';

--
-- Name: COLUMN task_partition.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN task_partition.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN task_partition.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN task_partition.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_partition.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_partition.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN task_partition.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN task_partition.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition.log_offset IS 'The offset of the event in its log.';

--
-- Name: task_partition_as_of(text, text, timestamp with time zone); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.task_partition_as_of(job_name text, job_id text, at timestamp with time zone) RETURNS SETOF coordinator.task_partition
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at($1, $2, $3) j
        cross join lateral projection.task_partition_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION task_partition_as_of(job_name text, job_id text, at timestamp with time zone); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.task_partition_as_of(job_name text, job_id text, at timestamp with time zone) IS 'coordinator.task_partition at a time: the state after all events whose log_time is not later.';

--
-- Name: task_partition_as_of_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.task_partition_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text DEFAULT NULL::text, incarnation integer DEFAULT NULL::integer) RETURNS SETOF coordinator.task_partition
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.job_at_offset($1, $2, $3, coalesce($4, 'coordinator'), $5) j
        cross join lateral projection.task_partition_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: FUNCTION task_partition_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.task_partition_as_of_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) IS 'coordinator.task_partition after the event at log_offset (inclusive), an offset of the coordinator stream unless stream_kind says otherwise. The job''s other log is cut at that event''s log_time.';

--
-- Name: time_of_input_offset(text, text, text, text, integer, text); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.time_of_input_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer, input_offset text) RETURNS TABLE(task_name text, key_bucket integer, record_time timestamp with time zone, input_offset text, input_offset_number bigint, stream_kind text, incarnation integer, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select p.task_name, p.key_bucket, p.record_time, p.input_offset, p.input_offset_number, p.stream_kind, p.incarnation, p.log_offset
  from projection.passed_offset($1, $2, $3, $4, $5) p
  where case when p.input_offset_number >= $6::bigint and coalesce(p.previous_number < $6::bigint, true)
             then projection.retained_cut(p.log_id, p.log_offset - 1) is not null end    -- else it may have passed the offset before
  order by p.incarnation, p.log_offset, p.task_name, p.key_bucket
$_$;

--
-- Name: FUNCTION time_of_input_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer, input_offset text); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.time_of_input_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer, input_offset text) IS 'When a job passed an offset of an input partition: the checkpoints at or beyond it that follow one before it, or none. More than one row of a task: it was rewound and passed the offset again. No row: no checkpoint is as far. Raises if it was passed below the retained horizon, where the time is unknown. The offset must be an integer. Reads all checkpoints of the job that have the partition.
Key: task_name, key_bucket, stream_kind, incarnation, log_offset.';

--
-- Name: wait_for(text, bigint, integer); Type: FUNCTION; Schema: coordinator; Owner: -
--

CREATE FUNCTION coordinator.wait_for(stream_name text, log_offset bigint, timeout_ms integer) RETURNS boolean
    LANGUAGE plpgsql
    AS $_$
declare
  deadline timestamptz := clock_timestamp() + $3 * interval '1 millisecond';
  pause_ms integer := 1;
  next_offset bigint;
begin
  if $1 is null or $2 is null or $3 is null then
    raise exception using errcode = 'null_value_not_allowed',
      message = 'coordinator.wait_for does not accept null: pass the name of a stream, an offset of it, and the maximum time to wait in milliseconds.';
  end if;
  if $3 > 600000 then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'Invalid timeout_ms %s. coordinator.wait_for waits at most 600000 ms (10 minutes); call it again if it returns false.', $3);
  end if;
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception using errcode = 'invalid_transaction_state', message = format(
      'coordinator.wait_for cannot run in a %s transaction, which does not see what others commit. Call it before the transaction begins.', current_setting('transaction_isolation'));
  end if;
  loop
    select p.next_offset into next_offset
    from projection.job_log l join projection.position p on p.log_id = l.log_id where l.stream_name = $1 and l.is_current;
    if not found then
      raise exception using errcode = 'no_data_found', message = format(
        'Unknown stream %s. coordinator.log_position has the names of the streams that are followed.', quote_literal($1));
    end if;
    if next_offset > $2 then
      return true;
    end if;
    if clock_timestamp() >= deadline then
      return false;
    end if;
    perform pg_sleep(least(pause_ms, greatest(extract(epoch from deadline - clock_timestamp()) * 1000, 0)) / 1000.0);
    pause_ms := least(pause_ms * 2, 20);
  end loop;
end
$_$;

--
-- Name: FUNCTION wait_for(stream_name text, log_offset bigint, timeout_ms integer); Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON FUNCTION coordinator.wait_for(stream_name text, log_offset bigint, timeout_ms integer) IS 'Waits until the current incarnation of a stream has been folded beyond an offset. Returns true as soon as the next statement can read what the event at that offset says, false if timeout_ms milliseconds have passed (at most 600000, which is 10 minutes; 0 or less: checks once). Raises for an unknown stream, for null, for a longer timeout, and in a transaction that is repeatable read or serializable and could not see the event.';

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
            'the arrays of an append differ in length: give a key and a value, null or not, for each event';
    end if;
    if appended_at is not null and not pg_has_role(session_user, current_user, 'member') then
        raise insufficient_privilege using message =
            'only the owner of the event log says when events came: leave appended_at out';
    end if;
    perform eventlog.require_headers(event_headers);
    select l.* into target from eventlog.log l where l.stream_name = append.stream_name
    order by l.incarnation desc limit 1;
    if not found then
        raise exception using errcode = 'CS001', message = format('there is no log of %s', stream_name);
    end if;
    if target.backend <> 'postgres' then
        raise exception using errcode = 'CS002',
            message = format('%s is the archive of a %s log: append there', stream_name, target.backend);
    end if;
    select h.next_offset into strict first_offset from eventlog.log_head h where h.log_id = target.log_id for update;
    if expected_offset <> first_offset then
        raise exception using errcode = 'CS003', detail = first_offset::text,
            message = format('%s ends at offset %s, not at %s', stream_name, first_offset, expected_offset);
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
    AS $$
begin
    raise exception '% is append-only: % is refused', tg_table_schema || '.' || tg_table_name, lower(tg_op);
end $$;

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
            'headers can not be read: give a list of [name, base64 of the value or null] for each event';
    end if;
end $$;

--
-- Name: FUNCTION require_headers(event_headers jsonb[]); Type: COMMENT; Schema: eventlog; Owner: -
--

COMMENT ON FUNCTION eventlog.require_headers(event_headers jsonb[]) IS 'Refuses headers that no reader of the archive could read.';

--
-- Name: base_end(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.base_end(log_id integer) RETURNS TABLE(last_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select coalesce(max(h.horizon_offset), -1) from projection.log_horizon h where h.log_id = $1
$_$;

--
-- Name: changelog_mapping_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.changelog_mapping_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.changelog_mapping
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.changelog_partition, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.changelog_mapping_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: changelog_mapping_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.changelog_mapping_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.changelog_mapping
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, (m.body ->> 'changelog_partition')::integer, m.message_key, m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-changelog', $3) m
$_$;

--
-- Name: changelog_mapping_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.changelog_mapping_now(log_id integer) RETURNS SETOF projection.changelog_mapping
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.changelog_mapping_at($1, null, null) r
        $_$;

--
-- Name: changelog_mapping_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.changelog_mapping_state(log_id integer, cut bigint) RETURNS SETOF projection.changelog_mapping
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.changelog_mapping c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.changelog_mapping_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: changelog_name(text, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.changelog_name(changelog text, system_name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when position('.' in $1) > 0 or $2 is null then $1 else $2 || '.' || $1 end
$_$;

--
-- Name: changelog_store(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.changelog_store(config_key text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when $1 like 'stores.%_.changelog' then substr($1, 8, length($1) - 17) end
$_$;

--
-- Name: checkpoint_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.input_offset, r.input_offset_number, r.checkpoint_id, r.checkpoint_version, case l.stream_kind when 'checkpoint' then 'checkpoint-topic' else 'coordinator-stream' end, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.checkpoint_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: checkpoint_at(integer, bigint, integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) RETURNS SETOF projection.checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$ 
        select o.log_offset, o.record_time, o.message_time, projection.offset_number(o.value), o.log_id, o.key_id, o.n,
          o.partition_id, o.key_bucket, o.checkpoint_version, o.task_name, o.system_name, o.stream_name, o.value, o.checkpoint_id,
          o.source, o.host, o.username
        from (
            select w.log_id, w.key_id, w.log_offset, w.record_time, w.task_name, w.checkpoint_version, w.checkpoint_id, o.*
            from projection.checkpoint_choice($1, $2, $3, $4, null, false) w
            cross join lateral projection.chosen_offset(w.log_id, w.log_offset, w.checkpoint_version, w.layout_id, w.offsets, w.offsets_odd,
                                                        w.changelogs, w.store_names) o) o where not o.is_state  $_$;

--
-- Name: checkpoint_before(integer, text, timestamp with time zone, bigint, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_before(log_id integer, task_name text, at timestamp with time zone, log_offset bigint, earlier_at timestamp with time zone) RETURNS TABLE(log_id integer, layout_id bigint, offsets text, offsets_odd text[], record_time timestamp with time zone, log_offset bigint, earlier_log_id integer, earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[], earlier_time timestamp with time zone, earlier_log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select n.log_id, n.layout_id, n.offsets, n.offsets_odd, n.record_time, n.log_offset,
    b.log_id, b.layout_id, b.offsets, b.offsets_odd, b.record_time, b.log_offset
  from projection.checkpoint_by($1, $2, $3, $4) n
  left join lateral projection.earlier_checkpoint(n.log_id, n.key_id, n.log_offset) o on true
  left join lateral (
    select o.*
    union all
    select f.* from projection.checkpoint_by($1, $2, $5, null) f where o.log_id is null and n.record_time > $5) b on b.log_id is not null
$_$;

--
-- Name: checkpoint_by(integer, text, timestamp with time zone, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_by(log_id integer, task_name text, at timestamp with time zone, log_offset bigint) RETURNS SETOF projection.checkpoint_event
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select n.*
  from projection.checkpoint_key($1, $2) k
  cross join lateral (
    select case when k.log_id = $1 and $4 is not null then $4 - 1 else (select s.bound from projection.log_bound(k.log_id, $3) s) end) c(cut)
  cross join lateral (
    select e.* from projection.checkpoint_event e
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= c.cut and (e.record_time <= $3 or k.log_id = $1 and $4 is not null)
    order by e.log_offset desc limit 1) n
  order by n.record_time desc nulls last, n.log_offset desc limit 1
$_$;

--
-- Name: checkpoint_choice(integer, bigint, integer, bigint, integer[], boolean); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_choice(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[], by_log boolean) RETURNS TABLE(log_id integer, key_id integer, task_name text, checkpoint_version integer, layout_id bigint, checkpoint_id text, offsets text, offsets_odd text[], record_time timestamp with time zone, log_offset bigint, changelogs text[], store_names text[])
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select r.log_id, r.key_id, r.task_name, r.checkpoint_version, r.layout_id, r.checkpoint_id, r.offsets, r.offsets_odd, r.record_time, r.log_offset,
    r.changelogs, r.store_names
  from (
    select h.*, q.max_age, q.changelogs, q.store_names, row_number() over w as place,
      lead(h.log_offset) over w as lower_offset, lead(h.record_time) over w as lower_time,
      lag(h.log_offset) over w as upper_offset, lag(h.record_time) over w as upper_time
    from (
      select j.versions, j.grouper_factory, j.max_age, j.changelogs, j.store_names from projection.job_log j where $6 and j.log_id = coalesce($3, $1)
      union all
      select r.versions, r.grouper_factory, r.max_age, r.changelogs, r.store_names from projection.checkpoint_rule($1, $2) r where not $6) q
    cross join lateral projection.checkpoint_head(coalesce($3, $1), case when $3 is null then $2 else $4 end, $5) h
    where case when $3 is null then h.checkpoint_version = 0
               else h.checkpoint_version = any (q.versions)
                 and h.grouper_factory = coalesce(q.grouper_factory, (select projection.newest_grouper($3, $4))) end
    window w as (partition by h.task_name order by array_position(q.versions, h.checkpoint_version), h.log_offset desc)) r
  where case r.place
    when 1 then not coalesce(r.lower_offset > r.log_offset and projection.is_outdated(r.record_time, r.lower_time, r.max_age), false)
    when 2 then coalesce(r.log_offset > r.upper_offset and projection.is_outdated(r.upper_time, r.record_time, r.max_age), false)
    else false end
$_$;

--
-- Name: checkpoint_head(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_head(log_id integer, cut bigint, keys integer[]) RETURNS TABLE(log_id integer, key_id integer, task_name text, checkpoint_version integer, grouper_factory text, layout_id bigint, checkpoint_id text, offsets text, offsets_odd text[], record_time timestamp with time zone, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select distinct on (k.message_key, k.checkpoint_version, k.grouper_factory) k.log_id, k.key_id, k.message_key, k.checkpoint_version, k.grouper_factory,
    h.layout_id, h.checkpoint_id, h.offsets, h.offsets_odd, h.record_time, h.log_offset
  from (
    select e.* from projection.event_key e where $3 is null and e.log_id = $1
    union all
    select e.* from projection.keys_of($1, $3) e) k
  cross join lateral (
    select e.* from projection.checkpoint_event e
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
    order by e.log_offset desc limit 1) h
  where k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other and h.layout_id is not null
  order by k.message_key, k.checkpoint_version, k.grouper_factory, h.log_offset desc
$_$;

--
-- Name: offset_number(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.offset_number(input_offset text) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select case
    when octet_length($1) <= 20 and case when pg_input_is_valid($1, 'bigint') then $1 end::bigint::text = $1
      then case when pg_input_is_valid($1, 'bigint') then $1 end::bigint
    when $1 ~ '^-?[0-9]{1,19}$' then case when pg_input_is_valid($1, 'bigint') then $1 end::bigint
  end
$_$;

--
-- Name: opened_input(projection.checkpoint_layout, text, text[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.opened_input(layout projection.checkpoint_layout, offsets text, offsets_odd text[]) RETURNS TABLE(partition_id integer, key_bucket integer, is_state boolean, system_name text, stream_name text, value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select unnest(($1).partition_id), unnest(($1).key_bucket), unnest(($1).is_state), unnest(($1).system_name), unnest(($1).stream_name),
    unnest(projection.offsets_of($2, $3))
$_$;

--
-- Name: checkpoint_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.checkpoint_history AS
 SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    c.task_name,
    l.system_name,
    l.stream_name,
    l.partition_id,
    l.key_bucket,
    l.value AS input_offset,
    projection.offset_number(l.value) AS input_offset_number,
    c.checkpoint_id,
    c.checkpoint_version,
    c.origin,
    c.grouper_factory,
    c.operation,
    c.is_preferred,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset
   FROM (projection.counted_commit c
     LEFT JOIN LATERAL projection.opened_input(c.layout, c.offsets, c.offsets_odd) l(partition_id, key_bucket, is_state, system_name, stream_name, value) ON (((NOT l.is_state) AND (NOT projection.is_changelog(c.checkpoint_version, l.system_name, l.stream_name, c.changelogs)))));

--
-- Name: VIEW checkpoint_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.checkpoint_history IS 'Every checkpoint ever written, on the checkpoint topic or the coordinator stream: one row per input partition. A delete or a checkpoint without partitions is one row whose partition is null. "order by log_offset desc limit n" with a job sorts all rows of the job: for its newest checkpoints use coordinator.newest_commits, and select the rows of these events by task_name and log_offset.
Key: job_name, job_id, stream_kind, incarnation, log_offset, task_name, checkpoint_version, grouper_factory, system_name, stream_name, partition_id, key_bucket.';

--
-- Name: COLUMN checkpoint_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN checkpoint_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN checkpoint_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN checkpoint_history.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.task_name IS 'The task.';

--
-- Name: COLUMN checkpoint_history.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.system_name IS 'The system of the partition. Null: the event deletes the checkpoint, or the checkpoint is empty.';

--
-- Name: COLUMN checkpoint_history.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.stream_name IS 'The stream of the partition. Null: the event deletes the checkpoint, or the checkpoint is empty.';

--
-- Name: COLUMN checkpoint_history.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.partition_id IS 'The number of the partition. Null: the event deletes the checkpoint, or the checkpoint is empty.';

--
-- Name: COLUMN checkpoint_history.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition. Null: the event deletes the checkpoint, or the checkpoint is empty.';

--
-- Name: COLUMN checkpoint_history.input_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.input_offset IS 'The last processed offset, as the input system writes it. Null: the row has no partition, or the checkpoint has it without an offset.';

--
-- Name: COLUMN checkpoint_history.input_offset_number; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.input_offset_number IS 'input_offset as a number. Null: it is not an integer of at most 19 digits in the range of bigint.';

--
-- Name: COLUMN checkpoint_history.checkpoint_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.checkpoint_id IS 'Identifies the commit: versions 1 and 2 of one commit have the same id. Null: a delete; versions 0 and 1 have it only if state was committed.';

--
-- Name: COLUMN checkpoint_history.checkpoint_version; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.checkpoint_version IS '0: `set-checkpoint` on the coordinator stream; 1 and 2: the two formats of the checkpoint topic.';

--
-- Name: COLUMN checkpoint_history.origin; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.origin IS 'Where the checkpoint was read: `coordinator-stream` or `checkpoint-topic`.';

--
-- Name: COLUMN checkpoint_history.grouper_factory; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.grouper_factory IS 'The class that grouped the partitions into tasks, which is part of the key on the checkpoint topic. Null: version 0 has none.';

--
-- Name: COLUMN checkpoint_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN checkpoint_history.is_preferred; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.is_preferred IS 'Whether the job, with its current config, would have read this checkpoint when it was written. Of the versions of a commit, that is the first in task.checkpoint.read.versions. Another one is preferred only if the task has no earlier checkpoint of a version before it in that list, or only an outdated one. Always false in a log that checkpoints are not read from.';

--
-- Name: COLUMN checkpoint_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN checkpoint_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN checkpoint_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN checkpoint_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN checkpoint_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN checkpoint_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN checkpoint_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN checkpoint_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.checkpoint_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: checkpoint_history_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.checkpoint_history
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$  SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    c.task_name,
    l.system_name,
    l.stream_name,
    l.partition_id,
    l.key_bucket,
    l.value AS input_offset,
    projection.offset_number(l.value) AS input_offset_number,
    c.checkpoint_id,
    c.checkpoint_version,
    c.origin,
    c.grouper_factory,
    c.operation,
    c.is_preferred,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset
   FROM (projection.counted_commit_as_read($1, $2, $3) c
     LEFT JOIN LATERAL projection.opened_input(c.layout, c.offsets, c.offsets_odd) l(partition_id, key_bucket, is_state, system_name, stream_name, value) ON (((NOT l.is_state) AND (NOT projection.is_changelog(c.checkpoint_version, l.system_name, l.stream_name, c.changelogs))))) $_$;

--
-- Name: checkpoint_key(integer, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_key(log_id integer, task_name text) RETURNS TABLE(log_id integer, key_id integer, stream_kind text, incarnation integer)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select k.log_id, k.key_id, j.stream_kind, j.incarnation
  from projection.job_log own
  join projection.job_log j on j.job_suffix = own.job_suffix and (j.stream_kind = 'checkpoint' or j.log_id = own.log_id)
  join projection.event_key k on k.log_id = j.log_id
    and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other
    and left(k.message_key, 100) = left($2, 100) and k.message_key = $2
  where own.log_id = $1
$_$;

--
-- Name: checkpoint_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_now(log_id integer) RETURNS SETOF projection.checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.read_log($1) l cross join lateral projection.checkpoint_at(l.coordinator_log, null, l.checkpoint_log, null, null) r
        $_$;

--
-- Name: checkpoint_rule(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_rule(log_id integer, cut bigint) RETURNS TABLE(versions integer[], lower_version integer, max_age interval, grouper_factory text, changelogs text[], store_names text[])
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select v.versions,
    case sign(array_position(v.versions, 1) - array_position(v.versions, 2)) when 1 then 1 when -1 then 2 end,
    projection.max_age(c.max_age),
    case when exists (
           select from projection.event_key k
           cross join lateral (
             select e.body from projection.message_event e
             where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
             order by e.log_offset desc limit 1) h
           where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and h.body is not null)
         then coalesce(c.grouper_factory, 'org.apache.samza.container.grouper.stream.GroupByPartitionFactory') end,
    s.changelogs, s.store_names
  from (
    select max(m.body ->> 'config_value') filter (where m.message_key = 'task.checkpoint.read.versions') as versions,
           max(m.body ->> 'config_value') filter (where m.message_key = 'task.live.checkpoint.max.age') as max_age,
           nullif(max(m.body ->> 'config_value') filter (where m.message_key = 'job.systemstreampartition.grouper.factory'), '') as grouper_factory,
           coalesce(max(m.body ->> 'config_value') filter (where m.message_key = 'job.changelog.system'),
                    max(m.body ->> 'config_value') filter (where m.message_key = 'job.default.system')) as changelog_system
    from projection.message_head($1, $2, 'set-config', null) m
    where left(m.message_key, 100) = any (projection.checkpoint_settings())) c
  cross join lateral (
    select case when c.versions ~ '^\s*[0-9]+\s*(,\s*[0-9]+\s*)*[\s,]*$'               -- Java drops empty items at the end
                then string_to_array(rtrim(regexp_replace(regexp_replace(c.versions, '\s', '', 'g'),
                  '0*[1-9][0-9]{4,}', '0', 'g'), ','), ',')::integer[]                   -- 0 = a version that there never was
                else '{1}'::integer[] end as versions) v
  cross join lateral (
    select array_agg(projection.changelog_name(v.changelog, coalesce(c.changelog_system, '')) order by v.store_name collate "C") as changelogs,
           array_agg(v.store_name order by v.store_name collate "C") as store_names
    from (select projection.changelog_store(m.message_key) as store_name, projection.trimmed(m.body ->> 'config_value') as changelog
          from projection.message_head($1, $2, 'set-config', null) m
          where left(m.message_key, 100) like 'stores.%') v
    where v.store_name is not null and v.changelog <> '') s
$_$;

--
-- Name: checkpoint_settings(); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_settings() RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select array['task.checkpoint.read.versions', 'task.live.checkpoint.max.age', 'job.systemstreampartition.grouper.factory',
               'job.changelog.system', 'job.default.system']
$$;

--
-- Name: checkpoint_state(integer, bigint, integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) RETURNS SETOF projection.checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.checkpoint c where c.log_id = coalesce($3, $1) and projection.is_read_now($1, $2, $3, $4)
          union all
          select a.* from projection.checkpoint_at($1, $2, $3, $4, null) a where not projection.is_read_now($1, $2, $3, $4)
        $_$;

--
-- Name: checkpointed_input(integer, bigint, integer, bigint, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.checkpointed_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $_$
#variable_conflict use_column
begin
  return query
  select k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket from projection.checkpoint_state($1, $2, $3, $4) k
  where $5 is null or k.task_name = $5;
end
$_$;

--
-- Name: chosen_offset(integer, bigint, integer, bigint, text, text[], text[], text[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.chosen_offset(log_id integer, log_offset bigint, checkpoint_version integer, layout_id bigint, offsets text, offsets_odd text[], changelogs text[], store_names text[]) RETURNS TABLE(n integer, is_state boolean, partition_id integer, key_bucket integer, system_name text, stream_name text, factory_name text, store_name text, marker_prefix text, marker_suffix text, value text, message_time timestamp with time zone, source text, host text, username text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select o.n, o.is_state or projection.is_changelog($3, o.system_name, o.stream_name, $7), o.partition_id, o.key_bucket, o.system_name, o.stream_name,
    coalesce(o.factory_name, 'org.apache.samza.storage.KafkaChangelogStateBackendFactory'),
    coalesce(o.store_name, $8[array_position($7, o.system_name || '.' || o.stream_name)], ''),
    o.marker_prefix, o.marker_suffix, o.value, e.message_time, e.source, e.host, e.username
  from (select l from projection.checkpoint_layout l where l.log_id = $1 and l.layout_id = $4 offset 0) y(layout)
  cross join lateral projection.opened(y.layout, $5, $6) o
  left join lateral (
    select v.* from projection.checkpoint_envelope v where v.log_id = $1 and v.log_offset = $2 offset 0) e on true
$_$;

--
-- Name: commit_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF projection.commit
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$  SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    k.message_key AS task_name,
    k.checkpoint_version,
    k.grouper_factory,
    h.log_id,
    h.key_id,
    h.layout_id,
    h.checkpoint_id,
    h.offsets,
    h.offsets_odd,
    h.other_version_time,
    j.changelogs,
    j.store_names,
    j.versions,
    j.max_age,
        CASE
            WHEN (k.checkpoint_version = 0) THEN 'coordinator-stream'::text
            ELSE 'checkpoint-topic'::text
        END AS origin,
        CASE
            WHEN (h.layout_id IS NULL) THEN 'delete'::text
            ELSE 'set'::text
        END AS operation,
        CASE
            WHEN (j.stream_kind = 'coordinator'::text) THEN (NOT j.has_checkpoint_topic)
            WHEN (k.checkpoint_version = 0) THEN false
            WHEN (k.grouper_factory <> COALESCE(j.grouper_factory, k.grouper_factory)) THEN false
            ELSE projection.is_preferred(k.checkpoint_version, h.record_time, h.other_version_time, j.versions, j.lower_version, j.max_age)
        END AS is_preferred,
    h.record_time,
    v.message_time,
    v.source,
    v.host,
    v.username,
    j.stream_kind,
    j.incarnation,
    h.log_offset
   FROM (((projection.ruled_receipt_log($1, $2, $3) j
     JOIN projection.checkpoint_event h ON ((h.log_id = j.log_id)))
     JOIN projection.event_key k ON (((k.log_id = h.log_id) AND (k.key_id = h.key_id))))
     LEFT JOIN projection.checkpoint_envelope v ON (((v.log_id = h.log_id) AND (v.log_offset = h.log_offset)))) where h.log_offset <= j.last_offset $_$;

--
-- Name: commit_history_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.commit_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.commit_history
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$  SELECT job_name,
    job_id,
    job_bucket,
    task_name,
    checkpoint_version,
    checkpoint_id,
    is_preferred,
    partition_count,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.counted_commit_as_read($1, $2, $3) c
  WHERE (layout_id IS NOT NULL) $_$;

--
-- Name: config_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.config_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.config
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.config_key, r.config_value, r.is_sensitive, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.config_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: config_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.config_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.config
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.is_sensitive or coalesce((m.body ->> 'is_sensitive')::boolean, false), m.message_key, m.body ->> 'config_value', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-config', $3) m
$_$;

--
-- Name: config_deployment_event(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.config_deployment_event(log_id integer) RETURNS TABLE(deployment integer, message_key text, operation text, record_time timestamp with time zone, source text, host text, username text, log_offset bigint)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $_$
declare
  event record;
  begins_at bigint;
  known_time timestamptz;  -- the last one: a delete that a resync found has none
begin
  deployment := 0;
  for event in
    select w.*, not w.is_delete and w.writer is distinct from lag(w.writer) over own as is_other_writer
    from (
      select s.*, first_value(row(s.source, s.host, s.username)) over (partition by s.sets order by s.log_offset, s.key_id) as writer,
        max(s.log_offset) filter (where not s.is_delete)
          over (partition by s.message_key order by s.log_offset, s.key_id rows between unbounded preceding and 1 preceding) as set_before
      from (
        select h.key_id, k.message_key, h.body is null as is_delete, h.record_time, h.source, h.host, h.username, h.log_offset,
          count(h.body) over (order by h.log_offset, h.key_id) as sets
        from projection.event_key k
        join projection.message_event h on h.log_id = k.log_id and h.key_id = k.key_id
        cross join lateral projection.base_end(k.log_id) b
        where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other and h.log_offset > b.last_offset) s) w
    window own as (order by w.log_offset, w.key_id)
    order by w.log_offset, w.key_id
  loop
    if begins_at is null or event.is_other_writer or not event.is_delete and event.set_before >= begins_at
       or projection.time_between(known_time, event.record_time) > interval '1 minute' then
      deployment := deployment + 1;
      begins_at := event.log_offset;
    end if;
    message_key := event.message_key;
    operation := case when event.is_delete then 'delete' else 'set' end;
    record_time := event.record_time;
    known_time := coalesce(event.record_time, known_time);
    source := event.source;
    host := event.host;
    username := event.username;
    log_offset := event.log_offset;
    return next;
  end loop;
end
$_$;

--
-- Name: config_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.config_now(log_id integer) RETURNS SETOF projection.config
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.config_at($1, null, null) r
        $_$;

--
-- Name: config_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.config_state(log_id integer, cut bigint) RETURNS SETOF projection.config
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.config c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.config_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: config_value_at(integer, text, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.config_value_at(log_id integer, config_key text, until timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select e.body ->> 'config_value'
  from projection.event_key k
  cross join lateral (
    select e.body, e.log_offset from projection.message_event e
    where e.log_id = k.log_id and e.key_id = k.key_id
      and coalesce(e.record_time, (select t.at from projection.log_time_at(e.log_id, e.log_offset) t)) <= $3
    order by e.log_offset desc limit 1) e
  where k.log_id = $1 and k.message_type = 'set-config' and not k.is_other
    and left(k.message_key, 100) = left($2, 100) and k.message_key = $2
  order by e.log_offset desc limit 1
$_$;

--
-- Name: container_execution_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.container_execution_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.container_execution
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.container_id, r.execution_container_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.container_execution_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: container_execution_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.container_execution_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.container_execution
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'execution_container_id', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-execution-env-container-id-mapping', $3) m
$_$;

--
-- Name: container_execution_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.container_execution_now(log_id integer) RETURNS SETOF projection.container_execution
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.container_execution_at($1, null, null) r
        $_$;

--
-- Name: container_execution_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.container_execution_state(log_id integer, cut bigint) RETURNS SETOF projection.container_execution
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.container_execution c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.container_execution_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: container_host_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.container_host_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.container_host
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.container_id, r.host_name, r.jmx_url, r.jmx_tunneling_url, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.container_host_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: container_host_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.container_host_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.container_host
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'host_name', m.body ->> 'jmx_url', m.body ->> 'jmx_tunneling_url', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-container-host-assignment', $3) m
$_$;

--
-- Name: container_host_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.container_host_now(log_id integer) RETURNS SETOF projection.container_host
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.container_host_at($1, null, null) r
        $_$;

--
-- Name: container_host_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.container_host_state(log_id integer, cut bigint) RETURNS SETOF projection.container_host
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.container_host c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.container_host_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: counted_commit_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.counted_commit_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF projection.counted_commit
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$  SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    c.task_name,
    c.checkpoint_version,
    c.grouper_factory,
    c.log_id,
    c.key_id,
    c.layout_id,
    c.checkpoint_id,
    c.offsets,
    c.offsets_odd,
    c.other_version_time,
    c.changelogs,
    c.store_names,
    c.versions,
    c.max_age,
    c.origin,
    c.operation,
    c.is_preferred,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset,
    l.*::projection.checkpoint_layout AS layout,
    COALESCE((cardinality(l.input_streams) -
        CASE
            WHEN ((c.checkpoint_version = 1) AND (l.input_streams && c.changelogs)) THEN ( SELECT (count(*))::integer AS count
               FROM unnest(l.input_streams) s(s)
              WHERE (s.s = ANY (c.changelogs)))
            ELSE 0
        END), 0) AS partition_count
   FROM (projection.commit_as_read($1, $2, $3) c
     LEFT JOIN projection.checkpoint_layout l ON (((l.log_id = c.log_id) AND (l.layout_id = c.layout_id)))) $_$;

--
-- Name: decides_checkpoints(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.decides_checkpoints(config_key text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select $1 = any (projection.checkpoint_settings()) or projection.changelog_store($1) is not null
$_$;

--
-- Name: explain_checkpoints(integer, bigint, integer, bigint, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.explain_checkpoints(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, task_name text) RETURNS TABLE(log_id integer, checkpoint_version integer, layout_id bigint, offsets text, offsets_odd text[], changelogs text[], is_deleted boolean, ignored_reason text, chosen_because text, record_time timestamp with time zone, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with head as (
    select distinct on (k.log_id, k.checkpoint_version, k.grouper_factory) k.log_id, k.checkpoint_version, k.grouper_factory,
      e.layout_id, e.offsets, e.offsets_odd, e.record_time, e.log_offset
    from projection.event_key k
    cross join lateral (
      select e.* from projection.checkpoint_event e
      where e.log_id = k.log_id and e.key_id = k.key_id
        and e.log_offset <= coalesce(case when k.log_id = $1 then $2 else $4 end, 9223372036854775807)
      order by e.log_offset desc limit 1) e
    where k.log_id in ($1, $3) and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other
      and left(k.message_key, 100) = left($5, 100) and k.message_key = $5
    order by k.log_id, k.checkpoint_version, k.grouper_factory, e.layout_id is null, e.log_offset desc
  ), candidate as (
    select h.*, q.versions, q.max_age, q.changelogs, q.grouper_factory as read_grouper, w.grouper_factory as chosen_grouper,
      w.checkpoint_version as chosen_version, w.log_offset as chosen_offset, w.record_time as chosen_time,
      array_position(q.versions, h.checkpoint_version) as rank, array_position(q.versions, w.checkpoint_version) as chosen_rank,
      case when h.record_time > w.record_time then projection.time_between(w.record_time, h.record_time)
        else projection.time_between(h.record_time, w.record_time) end as apart,
      s.config_value as setting, s.log_offset as setting_offset
    from head h
    cross join projection.checkpoint_rule($1, $2) q
    left join projection.config_state($1, $2) s on s.config_key = 'task.checkpoint.read.versions'
    left join (
      select x.* from head x join projection.checkpoint_choice($1, $2, $3, $4, null, false) c on (c.log_id, c.log_offset) = (x.log_id, x.log_offset)
      where c.task_name = $5) w on true
  )
  select t.log_id, t.checkpoint_version, t.layout_id, t.offsets, t.offsets_odd, t.changelogs, t.layout_id is null,
    case
      when t.log_offset = t.chosen_offset and t.log_id = coalesce($3, $1) then null
      when t.log_id <> coalesce($3, $1) then 'other place: the job has a checkpoint topic, so set-checkpoint messages are not read'
      when t.layout_id is null then 'deleted: the last event is a tombstone'
      when t.grouper_factory <> coalesce(t.read_grouper, t.chosen_grouper, t.grouper_factory)
        then 'other grouper: written by ' || t.grouper_factory || ', but the job groups by ' || coalesce(t.read_grouper, t.chosen_grouper)
      when t.rank is null
        then 'version not read: ' || coalesce('task.checkpoint.read.versions is ' || t.setting || ' (coordinator offset ' || t.setting_offset || ')',
          'task.checkpoint.read.versions is not set, so only version 1 is read')
      when t.chosen_offset is null then 'other grouper: written by ' || t.grouper_factory || ', but the newest checkpoint of the job by another'
      when t.rank < t.chosen_rank
        then 'stale version: version ' || t.chosen_version || ' at offset ' || t.chosen_offset || ' is newer by '
          || projection.duration_text(t.apart) || ', more than ' || projection.duration_text(t.max_age)
      else 'lower priority: version ' || t.chosen_version || ' at offset ' || t.chosen_offset || ' takes precedence, and this one is '
        || case when t.record_time > t.chosen_time and t.log_offset > t.chosen_offset
                then 'newer by only ' || projection.duration_text(t.apart) else 'not newer' end
    end,
    case
      when t.checkpoint_version = 0 then 'the last set-checkpoint of the task'
      when exists (select from candidate o where o.rank < t.rank and o.layout_id is not null and o.grouper_factory = t.grouper_factory)
        then 'version ' || t.checkpoint_version || ' has lower priority, but is newer by more than ' || projection.duration_text(t.max_age)
      else 'the last of version ' || t.checkpoint_version
    end,
    t.record_time, t.log_offset
  from candidate t
$_$;

--
-- Name: explain_starting_offsets(integer, integer, bigint, integer, integer, bigint, text, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.explain_starting_offsets(coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint, task_name text, at timestamp with time zone) RETURNS TABLE(system_name text, stream_name text, partition_id integer, key_bucket integer, step integer, rule text, candidate text, outcome text, reason text, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text, stream_kind text, incarnation integer, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with config as (
    select c.* from projection.config_state($1, $3) c
  ), part as (                                     -- decided_by null = not among the job's inputs
    select d.system_name, d.stream_name, d.partition_id, d.key_bucket, d.assigned_by, d.decided_by,
      case when d.decided_by is not null then d.startpoint_log_offset end as startpoint_log_offset, d.checkpoint_log_offset,
      max(d.startpoint_log_offset) filter (where d.decided_by is not null) over () as newest_startpoint
    from projection.starting_offset_state($1, $3, $4, $6, $8, $7) d
  ), setting as (                                  -- for each rule the first key that is set counts
    select s.system_name, s.stream_name, o.rule, lower(case o.rule when 'default' then projection.trimmed(c.config_value) else c.config_value end collate "C") as word, row_number() over w as place,
      first_value(o.config_key) over w as first_key, c.*
    from (select distinct p.system_name, p.stream_name from part p) s
    left join projection.stream_id((select jsonb_object_agg(c.config_key, c.config_value) from config c)) i
      on (i.system_name, i.stream_name) = (s.system_name, s.stream_name)
    cross join lateral projection.offset_setting(i.stream_id, s.system_name, s.stream_name) o
    join config c on c.config_key = o.config_key
    window w as (partition by s.system_name, s.stream_name, o.rule order by o.place)
  ), startpoint as (
    select s.* from projection.explain_startpoints($1, $3, $4, $6, $8, $7) s
  ), checkpoint as (
    select c.* from projection.explain_checkpoints($1, $3, $4, $6, $7) c
  ), opened as materialized (                      -- all offsets at once, not each by a scan of the others
    select c.log_id, c.log_offset, o.system_name, o.stream_name, o.partition_id, o.key_bucket, o.value
    from checkpoint c
    join projection.checkpoint_layout l on l.log_id = c.log_id and l.layout_id = c.layout_id
    cross join lateral projection.opened_input(l, c.offsets, c.offsets_odd) o
    where not o.is_state and not projection.is_changelog(c.checkpoint_version, o.system_name, o.stream_name, c.changelogs)
  ), candidate as (                                -- own_reason: why it loses, whatever the other candidates are
    select p.*, 0 as rule_place, 1::bigint as place, 'input' as rule, null as candidate, null as winning_reason,
      case when p.decided_by is null then 'dropped input: neither task.inputs nor task.broadcast.inputs names ' || p.system_name || '.' || p.stream_name
           else 'not assigned: the job has no assignments of partitions to tasks, so the task is assumed to read what its checkpoint names' end as own_reason,
      c.record_time, c.message_time, c.source, c.host, c.username, 'coordinator' as stream_kind, c.log_offset
    from part p
    left join (select c.* from config c where c.config_key in ('task.inputs', 'task.broadcast.inputs') order by c.log_offset desc limit 1) c
      on p.decided_by is null
    where p.decided_by is null or p.assigned_by = 'checkpoint'
    union all
    select p.*, 1, row_number() over (partition by p.system_name, p.stream_name, p.partition_id, p.key_bucket
        order by s.log_offset = p.startpoint_log_offset desc, s.is_fan_out, s.is_ambiguous, s.is_expired, s.created_ms desc, s.is_for_task desc, s.log_offset desc),
      'startpoint', s.startpoint_type || coalesce(' ' || s.startpoint_value, ''),
      case when s.is_fan_out then 'fanned out: fanned out to the task at ' || projection.time_text(s.since) || ', and not yet consumed'
           else 'requested: requested for ' || case when s.is_for_task then 'this task' else 'every task' end
             || ' at ' || projection.time_text(s.since) || ', and the next start fans it out' end,
      case when s.log_offset is null then 'none: no startpoint is for the partition'
           when s.log_offset = p.startpoint_log_offset and p.decided_by = 'startpoint' then null
           when s.log_offset = p.startpoint_log_offset then 'no place: it has no offset or time, so the input system would refuse it'
           when s.is_ambiguous then 'ambiguous: its key can be read as several partitions or tasks, so it is not fanned out'
           when s.is_expired then 'expired: created ' || projection.time_text(s.since) || ', at least '
             || projection.duration_text(projection.startpoint_expires_at(0) - projection.to_time(0)) || ' before'
           when s.is_fan_out then 'replaced: the next start replaces the fan-out of the task, because of the request at offset ' || p.newest_startpoint
           when w.created_ms > s.created_ms
             then 'older: created ' || coalesce(projection.duration_text(projection.time_between(s.since, w.since)) || ' ', '') || 'before the one at offset ' || w.log_offset
           when w.is_for_task and not s.is_for_task
             then 'task''s own: created at the same moment as the one at offset ' || w.log_offset || ', which is for this task alone'
           else 'older: created at the same moment as the one at offset ' || w.log_offset || ', but written before it' end,
      s.record_time, null, null, s.host, s.username, 'coordinator', s.log_offset
    from part p
    left join startpoint s on (s.system_name, s.stream_name, s.partition_id) = (p.system_name, p.stream_name, p.partition_id)
    left join startpoint w on w.log_offset = p.startpoint_log_offset
      and (w.system_name, w.stream_name, w.partition_id) = (p.system_name, p.stream_name, p.partition_id)
    union all
    select p.*, 2, coalesce(s.place, 1), 'reset', case when s.word = 'true' then coalesce(d.word, 'upcoming') end,
      'reset: ' || s.config_key || ' is true, so checkpoints are ignored',
      case when s.word is null then 'none: no setting resets the stream'
           when s.word <> 'true' then 'not set: ' || s.config_key || ' is not true'
           when s.place > 1 then 'other setting: ' || s.first_key || ' takes precedence' end,
      s.record_time, s.message_time, s.source, s.host, s.username, 'coordinator', s.log_offset
    from part p
    left join setting s on (s.system_name, s.stream_name, s.rule) = (p.system_name, p.stream_name, 'reset')
    left join setting d on (d.system_name, d.stream_name, d.rule, d.place) = (p.system_name, p.stream_name, 'default', 1)
    union all
    select p.*, 3, row_number() over (partition by p.system_name, p.stream_name, p.partition_id, p.key_bucket
        order by c.ignored_reason is null desc, x.value is null, c.log_offset desc),
      'checkpoint', 'after ' || x.value || case c.checkpoint_version when 0 then ' (set-checkpoint)' else ' (version ' || c.checkpoint_version || ')' end,
      'checkpoint: ' || c.chosen_because,
      case when c.log_offset is null then 'none: the task has no checkpoint'
           when x.value is null and not c.is_deleted then 'no offset: the checkpoint has none for this partition'
           else c.ignored_reason end,
      c.record_time, v.message_time, v.source, v.host, v.username, case when c.log_id = $1 then 'coordinator' else 'checkpoint' end, c.log_offset
    from part p
    left join checkpoint c on true
    left join opened x on (x.log_id, x.log_offset, x.system_name, x.stream_name, x.partition_id, x.key_bucket)
      = (c.log_id, c.log_offset, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
    left join projection.checkpoint_envelope v on v.log_id = c.log_id and v.log_offset = c.log_offset
    union all
    select p.*, 4, coalesce(s.place, 1), 'default', coalesce(s.word, 'upcoming'),
      'default: ' || coalesce('set by ' || s.config_key, 'nothing is set'),
      case when s.place > 1 then 'other setting: ' || s.first_key || ' takes precedence' end,
      s.record_time, s.message_time, s.source, s.host, s.username, 'coordinator', s.log_offset
    from part p
    left join setting s on (s.system_name, s.stream_name, s.rule) = (p.system_name, p.stream_name, 'default')
  )
  select t.system_name, t.stream_name, t.partition_id, t.key_bucket,
    (row_number() over (partition by t.system_name, t.stream_name, t.partition_id, t.key_bucket order by t.rule_place, t.place))::integer,
    t.rule, t.candidate,
    case when t.candidate is null then 'absent' when t.own_reason is null and t.rule = t.decided_by then 'wins' else 'loses' end,
    case
      when t.candidate is null then t.own_reason
      when t.decided_by is null then 'dropped input: the partition is not read'
      when t.own_reason is not null then t.own_reason
      when t.rule = t.decided_by then t.winning_reason
      when t.decided_by = 'startpoint' then 'startpoint: the one at offset ' || t.startpoint_log_offset || ' takes precedence'
      when t.decided_by = 'checkpoint' then 'checkpoint: the one at offset ' || t.checkpoint_log_offset || ' takes precedence'
      else 'reset: ' || case t.rule when 'default' then 'the reset already starts there' else 'the checkpoints of the stream are ignored' end
    end,
    t.record_time, t.message_time, t.source, t.host, t.username,
    case when t.log_offset is not null then t.stream_kind end,
    case when t.log_offset is not null then case t.stream_kind when 'checkpoint' then $5 else $2 end end,
    t.log_offset
  from candidate t
  where t.decided_by is not null or t.rule = 'input' or t.rule in ('startpoint', 'checkpoint') and t.candidate is not null
$_$;

--
-- Name: explain_startpoints(integer, bigint, integer, bigint, timestamp with time zone, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.explain_startpoints(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone, task_name text) RETURNS TABLE(system_name text, stream_name text, partition_id integer, startpoint_type text, startpoint_value text, is_fan_out boolean, is_for_task boolean, is_expired boolean, is_ambiguous boolean, created_ms bigint, since timestamp with time zone, record_time timestamp with time zone, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select c.system_name, c.stream_name, c.partition_id, c.startpoint_type, c.startpoint_value,
    false, c.task_name is not null, c.is_expired, c.is_ambiguous, c.created_ms, projection.to_time(c.created_ms),
    c.record_time, c.host, c.username, c.log_offset
  from projection.startpoint_candidate($1, $2, $3, $4, $5) c
  where c.task_name is null or c.task_name = $6
  union all
  select f.system_name, f.stream_name, f.partition_id, f.startpoint_type, f.startpoint_value,
    true, true, false, false, null, f.fanned_out_at, f.record_time, f.host, f.username, f.log_offset
  from projection.startpoint_fan_out_state($1, $2) f
  where f.task_name = $6
$_$;

--
-- Name: fan_out_change(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.fan_out_change(log_id integer, cut bigint) RETURNS TABLE(task_name text, body jsonb, previous_body jsonb, record_time timestamp with time zone, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select t.message_key, t.body, t.previous_body, t.record_time, t.host, t.username, t.log_offset
  from projection.message_change($1, 'samza-startpoint-v1-fan-out', message_key => null) t
  where t.log_offset <= coalesce($2, 9223372036854775807)
$_$;

--
-- Name: hold_job(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.hold_job(suffix text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform from projection.position p join projection.job_log l on l.log_id = p.log_id
  where l.job_suffix = suffix and l.is_current order by l.stream_kind desc, l.log_id for no key update of p;
  perform eventlog.hold('job ' || suffix);
end $$;

--
-- Name: input_lag(text, text, text, integer, bigint, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.input_lag(job_suffix text, system_name text, stream_name text, partition_id integer, next_offset bigint, committed_at timestamp with time zone) RETURNS TABLE(end_offset bigint, records_behind bigint, records_lost bigint, seconds_behind bigint, is_lower_bound boolean, observed_at timestamp with time zone, last_records_behind bigint, last_known_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select b.end_offset, g.records_behind,
    case when $5 < b.oldest_offset then b.oldest_offset - $5 when g.records_behind is not null then 0 end,
    case when g.records_behind = 0 then 0
         when g.records_behind > 0 then extract(epoch from b.observed_at - coalesce(w.observed_at, (
           select f.observed_at from projection.observed_input f
           where f.job_suffix = $1 and f.system_name = $2 and f.stream_name = $3 and f.partition_id = $4 and f.end_offset is not null
           order by f.observed_at limit 1)))::bigint end,
    case when g.records_behind is not null then g.records_behind > 0 and w.observed_at is null end, b.observed_at,
    l.records_behind, case when n.end_offset is not null then n.observed_at end
  from (select 1) one
  left join lateral projection.newest_bound($1, $2, $3, $4) b on true
  left join lateral (
    select f.oldest_offset, f.end_offset, f.observed_at from projection.observed_input f
    where b.end_offset is null and f.job_suffix = $1 and f.system_name = $2 and f.stream_name = $3 and f.partition_id = $4 and f.end_offset is not null
    order by f.observed_at desc limit 1) k on true
  cross join lateral (                             -- the newest that did not fail
    select coalesce(b.oldest_offset, k.oldest_offset), coalesce(b.end_offset, k.end_offset), coalesce(k.observed_at, b.observed_at)
  ) n(oldest_offset, end_offset, observed_at)
  cross join lateral (select case when $5 <= n.end_offset then greatest(n.end_offset - greatest($5, n.oldest_offset), 0)
                                  when $5 > n.end_offset and $6 > n.observed_at - interval '5 minutes' then 0 end) l(records_behind)
  cross join lateral (select case when b.end_offset is not null then l.records_behind end) g(records_behind)
  left join lateral (
    select s.observed_at from projection.observed_input s
    where s.job_suffix = $1 and s.system_name = $2 and s.stream_name = $3 and s.partition_id = $4 and s.end_offset <= $5
    order by s.observed_at desc limit 1) w on g.records_behind > 0
$_$;

--
-- Name: is_assigned(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_assigned(log_id integer, cut bigint) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select exists (
    select from projection.event_key k
    cross join lateral (
      select x.body from projection.event_key s
      cross join lateral (
        select e.body, e.log_offset from projection.message_event e
        where e.log_id = s.log_id and e.key_id = s.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
        order by e.log_offset desc limit 1) x
      where s.log_id = k.log_id and s.message_type = 'set-task-partition-assignment' and not s.is_other
        and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key and x.body is not null
      order by x.log_offset desc limit 1) h
    where k.log_id = $1 and k.message_type = 'set-task-partition-assignment' and not k.is_other
      and jsonb_array_length(h.body -> 'task_names') > 0)
$_$;

--
-- Name: is_expired(bigint, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_expired(created_ms bigint, at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select coalesce(projection.startpoint_expires_at($1) <= $2, $1 < 0)
$_$;

--
-- Name: is_id_of(integer, text, text, text, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_id_of(log_id integer, stream_id text, system_name text, stream_name text, until timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select coalesce(projection.config_value_at($1, 'streams.' || $2 || '.samza.system', $5),
                  projection.config_value_at($1, 'job.default.system', $5)) = $3
    and coalesce(projection.config_value_at($1, 'streams.' || $2 || '.samza.physical.name', $5), $2) = $4
$_$;

--
-- Name: is_input(jsonb, text, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_input(config jsonb, system_name text, stream_name text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select not $1 ?| array['task.inputs', 'task.broadcast.inputs']
    or exists (select from projection.job_input($1) i where i.system_name = $2 and i.stream_name = $3)
$_$;

--
-- Name: is_lost(text, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_lost(state text, heartbeat_at timestamp with time zone, at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select $1 <> 'stopped' and $2 not between $3 - projection.lost_after() and $3 + projection.lost_after()
$_$;

--
-- Name: is_read_now(integer, bigint, integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.is_read_now(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select $2 is null and $4 is null
    and exists (select from projection.read_log(coalesce($3, $1)) l where l.coordinator_log is not distinct from $1)
$_$;

--
-- Name: job_at(text, text, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_at(job_name text, job_id text, at timestamp with time zone) RETURNS TABLE(job_name text, job_id text, job_bucket integer, coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.job_name, j.job_id, j.job_bucket, c.log_id, c.incarnation, c.cut, p.log_id, p.incarnation, p.cut
  from (select distinct l.job_name, l.job_id, l.job_bucket, l.job_suffix from projection.job_log l where l.job_name = $1 and l.job_id = $2) j
  left join lateral (
    select s.log_id, s.incarnation, projection.retained_cut(s.log_id, s.cut) as cut
    from projection.log_shown_at(j.job_suffix, 'coordinator', $3) s offset 0) c on true
  left join lateral (
    select s.log_id, s.incarnation, projection.retained_cut(s.log_id, s.cut) as cut
    from projection.log_shown_at(j.job_suffix, 'checkpoint', $3) s offset 0) p on true
$_$;

--
-- Name: job_at_offset(text, text, bigint, text, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_at_offset(job_name text, job_id text, log_offset bigint, stream_kind text, incarnation integer) RETURNS TABLE(job_name text, job_id text, job_bucket integer, coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_incarnation integer, checkpoint_cut bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select o.job_name, o.job_id, o.job_bucket,
    case o.stream_kind when 'coordinator' then o.log_id else x.log_id end,
    case o.stream_kind when 'coordinator' then o.incarnation else x.incarnation end,
    g.coordinator_cut,
    case o.stream_kind when 'checkpoint' then o.log_id else x.log_id end,
    case o.stream_kind when 'checkpoint' then o.incarnation else x.incarnation end,
    g.checkpoint_cut
  from projection.job_log o
  cross join lateral projection.log_time_at(o.log_id, $3) t
  left join lateral projection.log_shown_at(o.job_suffix, case o.stream_kind when 'coordinator' then 'checkpoint' else 'coordinator' end, t.at) x on true
  cross join lateral (
    select case o.stream_kind when 'coordinator' then $3 else projection.retained_cut(x.log_id, x.cut) end as coordinator_cut,
           case o.stream_kind when 'checkpoint' then $3 else projection.retained_cut(x.log_id, x.cut) end as checkpoint_cut
    offset 0) g
  where o.job_name = $1 and o.job_id = $2
    and (o.incarnation = $5 or $5 is null and o.is_current)
    and o.stream_kind = coalesce($4, (select min(i.stream_kind collate "C") from projection.job_log i where i.job_name = $1 and i.job_id = $2 and i.is_current))
    and projection.retained_cut(o.log_id, $3) is not null
$_$;

--
-- Name: job_coordinator_metadata_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_coordinator_metadata_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.job_coordinator_metadata
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.cluster_type, r.epoch_id, r.config_id, r.job_model_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.job_coordinator_metadata_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: job_coordinator_metadata_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_coordinator_metadata_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.job_coordinator_metadata
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'epoch_id', m.body ->> 'config_id', m.body ->> 'job_model_id', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-job-coordinator-metadata', $3) m
$_$;

--
-- Name: job_coordinator_metadata_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_coordinator_metadata_now(log_id integer) RETURNS SETOF projection.job_coordinator_metadata
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.job_coordinator_metadata_at($1, null, null) r
        $_$;

--
-- Name: job_coordinator_metadata_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_coordinator_metadata_state(log_id integer, cut bigint) RETURNS SETOF projection.job_coordinator_metadata
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.job_coordinator_metadata c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.job_coordinator_metadata_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: job_input(jsonb); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_input(config jsonb) RETURNS TABLE(system_name text, stream_name text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select distinct s.system_name, s.stream_name
  from (
    select projection.trimmed(regexp_replace(n.name, '#.*$', '')) as name
    from regexp_split_to_table(coalesce($1 ->> 'task.inputs', '') || ',' || regexp_replace(coalesce($1 ->> 'task.broadcast.inputs', ''), '#\[[^]]*\]', '', 'g'), ',') n(name)) i
  cross join lateral (
    select split_part(i.name, '.', 1), substr(i.name, position('.' in i.name) + 1) where i.name like '%.%'
    union all
    select d.system_name, d.stream_name from projection.stream_of_id($1, i.name) d where i.name not like '%.%') s(system_name, stream_name)
  where i.name <> '' and s.system_name is not null
$_$;

--
-- Name: job_log_span(text, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_log_span(job_name text, job_id text) RETURNS TABLE(log_id integer, stream_kind text, incarnation integer, after_offset bigint, last_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select l.log_id, l.stream_kind, l.incarnation, s.after_offset, s.last_offset
  from projection.job_log l cross join lateral projection.log_shown(l.log_id) s
  where l.job_name = $1 and l.job_id = $2
$_$;

--
-- Name: job_task(integer, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.job_task(coordinator_log integer, checkpoint_log integer) RETURNS TABLE(task_name text, is_standby boolean, assigned_at timestamp with time zone, commit_time timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with committed as materialized (select c.* from projection.task_commit(coalesce($2, $1)) c)  -- joined directly, it is computed for each task
  select t.task_name, t.is_standby, t.assigned_at, h.commit_time
  from (
    select s.task_name, bool_or(s.is_standby) as is_standby, max(s.assigned_at) as assigned_at,
      min(s.place) as place, min(min(s.place)) over () as best_place
    from (
      select 1 as place, c.task_name, false as is_standby, c.record_time as assigned_at
      from projection.task_container c where c.log_id = $1
      union all
      select 2, p.task_name, false, p.record_time
      from projection.task_partition p where p.log_id = $1
      union all
      select 9, m.task_name, true, m.record_time
      from projection.task_mode m where m.log_id = $1 and m.task_mode = 'Standby'
      union all
      select 3, c.task_name, false, null
      from committed c
      where not exists (select from projection.task_container a where a.log_id = $1)
        and not exists (select from projection.task_partition a where a.log_id = $1)) s
    group by s.task_name) t
  left join lateral (select any_value(c.commit_time) as commit_time from committed c where c.task_name = t.task_name) h on true
  where t.place = t.best_place
$_$;

--
-- Name: just_before(timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.just_before(at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select case when $1 > timestamptz '4714-11-24 00:00:00+00 BC' then $1 - interval '1 microsecond' else '-infinity' end
$_$;

--
-- Name: keep_changelog_mapping(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_changelog_mapping(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_changelog_mapping as materialized (select * from projection.changelog_mapping_at(of_log, null, keys)), gone_from_changelog_mapping as (
          delete from projection.changelog_mapping where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.changelog_mapping o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.changelog_mapping c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_changelog_mapping) g
            cross join lateral (select c.ctid from projection.changelog_mapping c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.changelog_mapping as c table new_changelog_mapping
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, changelog_partition = excluded.changelog_partition, task_name = excluded.task_name, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_checkpoints(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_checkpoints(of_log integer, touched integer[]) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_memoize TO 'off'
    AS $$
declare
  logs record;
  keys integer[];
begin
  if touched is not null then
    touched := projection.keep_next(of_log, touched);
    if touched = '{}' then
      return;
    end if;
  end if;
  select l.*, case when j.grouper_factory is null then (
      select min(k.grouper_factory) <> max(k.grouper_factory) from projection.event_key k
      where k.log_id = of_log and k.checkpoint_version > 0 and not k.is_other) end as have_several_groupers
  into logs
  from projection.read_log(of_log) l join projection.job_log j on j.log_id = of_log;
  if not found then
    return;
  end if;
  if touched is not null and logs.have_several_groupers is not true then
    keys := array(
      select distinct s.key_id from projection.job_log j cross join lateral projection.keys_of(j.log_id, touched) k
      cross join lateral (
        select s.key_id from projection.event_key s
        where s.log_id = of_log and s.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not s.is_other
          and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key offset 0) s
      where j.log_id = of_log and (k.checkpoint_version = 0 or k.checkpoint_version = any (j.versions)));
    if keys = '{}' then
      return;
    end if;
  end if;
  perform projection.keep_chosen(of_log, logs.coordinator_log, logs.checkpoint_log, keys);
end $$;

--
-- Name: keep_checkpoints_of_job(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_checkpoints_of_job(suffix text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  read_now integer[];
begin
  perform projection.hold_job(suffix);
  read_now := array(
    select l.log_id from projection.job_log l where l.job_suffix = suffix and exists (select from projection.read_log(l.log_id)));
  update projection.job_log j
  set (has_checkpoint_topic, versions, lower_version, max_age, grouper_factory, changelogs, store_names) = (select r.* from projection.rule_of_job(suffix) r)
  where j.job_suffix = suffix;
  perform from projection.position p where p.log_id = any (read_now) for update;
  delete from projection.checkpoint c using projection.job_log l where l.job_suffix = suffix and c.log_id = l.log_id and l.log_id <> all (read_now);
  delete from projection.state_checkpoint c using projection.job_log l where l.job_suffix = suffix and c.log_id = l.log_id and l.log_id <> all (read_now);
  perform projection.keep_checkpoints(r.log_id, null) from unnest(read_now) r(log_id);
end $$;

--
-- Name: keep_chosen(integer, integer, integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_chosen(of_log integer, coordinator_log integer, checkpoint_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
    declare
      offsets bigint;                        -- a query must put its rows somewhere
    begin
      with chosen as materialized (
            select w.log_id, w.key_id, w.log_offset, w.record_time, w.task_name, w.checkpoint_version, w.checkpoint_id, o.*
            from projection.checkpoint_choice(coordinator_log, null, checkpoint_log, null, keys, true) w
            cross join lateral projection.chosen_offset(w.log_id, w.log_offset, w.checkpoint_version, w.layout_id, w.offsets, w.offsets_odd,
                                                        w.changelogs, w.store_names) o),
        new_checkpoint as materialized (
        select o.log_offset, o.record_time, o.message_time, projection.offset_number(o.value), o.log_id, o.key_id, o.n,
          o.partition_id, o.key_bucket, o.checkpoint_version, o.task_name, o.system_name, o.stream_name, o.value, o.checkpoint_id,
          o.source, o.host, o.username
        from chosen o where not o.is_state ), gone_from_checkpoint as (
          delete from projection.checkpoint where ctid = any (array(
            select r.ctid from (
              (select key_id, n from projection.checkpoint o where keys is null and o.log_id = of_log
               union all
               select key_id, n from unnest(keys) u(key)
               cross join lateral (select key_id, n from projection.checkpoint c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id, n from new_checkpoint) g
            cross join lateral (select c.ctid from projection.checkpoint c where c.log_id = of_log and c.key_id = g.key_id and c.n = g.n offset 0) r))
        ), kept_in_checkpoint as (insert into projection.checkpoint as c table new_checkpoint
          on conflict (log_id, key_id, n) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, input_offset_number = excluded.input_offset_number, partition_id = excluded.partition_id, key_bucket = excluded.key_bucket, checkpoint_version = excluded.checkpoint_version, task_name = excluded.task_name, system_name = excluded.system_name, stream_name = excluded.stream_name, input_offset = excluded.input_offset, checkpoint_id = excluded.checkpoint_id, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded),
        new_state_checkpoint as materialized (
        select o.log_offset, o.record_time, o.message_time, o.log_id, o.key_id, o.n, o.partition_id, o.checkpoint_version, o.task_name,
          o.store_name, o.factory_name, o.marker_prefix || coalesce(o.value, '') || o.marker_suffix, o.system_name, o.stream_name,
          case when o.stream_name is not null then o.value end, o.checkpoint_id, o.source, o.host, o.username
        from chosen o where o.is_state ), gone_from_state_checkpoint as (
          delete from projection.state_checkpoint where ctid = any (array(
            select r.ctid from (
              (select key_id, n from projection.state_checkpoint o where keys is null and o.log_id = of_log
               union all
               select key_id, n from unnest(keys) u(key)
               cross join lateral (select key_id, n from projection.state_checkpoint c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id, n from new_state_checkpoint) g
            cross join lateral (select c.ctid from projection.state_checkpoint c where c.log_id = of_log and c.key_id = g.key_id and c.n = g.n offset 0) r))
        ), kept_in_state_checkpoint as (insert into projection.state_checkpoint as c table new_state_checkpoint
          on conflict (log_id, key_id, n) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, changelog_partition = excluded.changelog_partition, checkpoint_version = excluded.checkpoint_version, task_name = excluded.task_name, store_name = excluded.store_name, factory_name = excluded.factory_name, marker = excluded.marker, changelog_system = excluded.changelog_system, changelog_stream = excluded.changelog_stream, changelog_offset = excluded.changelog_offset, checkpoint_id = excluded.checkpoint_id, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded)
      select count(*) into offsets from chosen;
    end $$;

--
-- Name: keep_config(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_config(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_config as materialized (select * from projection.config_at(of_log, null, keys)), gone_from_config as (
          delete from projection.config where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.config o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.config c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_config) g
            cross join lateral (select c.ctid from projection.config c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.config as c table new_config
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, is_sensitive = excluded.is_sensitive, config_key = excluded.config_key, config_value = excluded.config_value, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_container_execution(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_container_execution(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_container_execution as materialized (select * from projection.container_execution_at(of_log, null, keys)), gone_from_container_execution as (
          delete from projection.container_execution where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.container_execution o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.container_execution c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_container_execution) g
            cross join lateral (select c.ctid from projection.container_execution c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.container_execution as c table new_container_execution
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, container_id = excluded.container_id, execution_container_id = excluded.execution_container_id, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_container_host(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_container_host(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_container_host as materialized (select * from projection.container_host_at(of_log, null, keys)), gone_from_container_host as (
          delete from projection.container_host where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.container_host o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.container_host c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_container_host) g
            cross join lateral (select c.ctid from projection.container_host c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.container_host as c table new_container_host
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, container_id = excluded.container_id, host_name = excluded.host_name, jmx_url = excluded.jmx_url, jmx_tunneling_url = excluded.jmx_tunneling_url, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_current(integer, integer[], integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_current(of_log integer, messages integer[], checkpoints integer[]) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_memoize TO 'off'
    AS $$
begin
  if cardinality(messages) > 0 then
    perform projection.keep_messages(of_log, messages);
    if exists (select from projection.keys_of(of_log, messages) k where projection.decides_checkpoints(k.message_key))
      or exists (select from projection.job_log j where j.log_id = of_log       -- the first key is set, or the last one deleted
                 and (j.grouper_factory is null) <> ((select c.key_id from projection.config c where c.log_id = of_log order by c.key_id limit 1) is null))
    then
      perform projection.keep_checkpoints_of_job(j.job_suffix)
      from projection.job_log j cross join lateral projection.rule_of_job(j.job_suffix) r
      where j.log_id = of_log and j.is_current
        and (j.versions, j.lower_version, j.max_age, j.grouper_factory, j.changelogs, j.store_names)
          is distinct from (r.versions, r.lower_version, r.max_age, r.grouper_factory, r.changelogs, r.store_names);
    end if;
  end if;
  if cardinality(checkpoints) > 0 then
    perform projection.keep_checkpoints(of_log, checkpoints);
  end if;
end $$;

--
-- Name: keep_job_coordinator_metadata(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_job_coordinator_metadata(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_job_coordinator_metadata as materialized (select * from projection.job_coordinator_metadata_at(of_log, null, keys)), gone_from_job_coordinator_metadata as (
          delete from projection.job_coordinator_metadata where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.job_coordinator_metadata o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.job_coordinator_metadata c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_job_coordinator_metadata) g
            cross join lateral (select c.ctid from projection.job_coordinator_metadata c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.job_coordinator_metadata as c table new_job_coordinator_metadata
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, cluster_type = excluded.cluster_type, epoch_id = excluded.epoch_id, config_id = excluded.config_id, job_model_id = excluded.job_model_id, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_messages(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_messages(of_log integer, of_keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
    declare
      touched record;
    begin
      for touched in
        select coalesce(s.message_type, '') as message_type, array_agg(s.key_id) as keys from projection.spelling(of_log, of_keys) s group by 1
      loop
        case touched.message_type  when 'set-changelog' then perform projection.keep_changelog_mapping(of_log, touched.keys); when 'set-config' then perform projection.keep_config(of_log, touched.keys); when 'set-execution-env-container-id-mapping' then perform projection.keep_container_execution(of_log, touched.keys); when 'set-container-host-assignment' then perform projection.keep_container_host(of_log, touched.keys); when 'set-job-coordinator-metadata' then perform projection.keep_job_coordinator_metadata(of_log, touched.keys); when '' then perform projection.keep_other_message(of_log, touched.keys); when 'samza-startpoint-v1' then perform projection.keep_pending_startpoint(of_log, touched.keys); when 'samza-startpoint-v1-fan-out' then perform projection.keep_startpoint_fan_out(of_log, touched.keys); when 'set-task-container-assignment' then perform projection.keep_task_container(of_log, touched.keys); when 'set-task-mode-assignment' then perform projection.keep_task_mode(of_log, touched.keys); when 'set-task-partition-assignment' then perform projection.keep_task_partition(of_log, touched.keys); else null; end case;
      end loop;
    end $$;

--
-- Name: keep_next(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_next(of_log integer, INOUT keys integer[]) RETURNS integer[]
    LANGUAGE plpgsql
    AS $$
    begin
      with chosen as materialized (
            select w.log_id, w.key_id, w.log_offset, w.record_time, w.task_name, w.checkpoint_version, w.checkpoint_id, o.*
            from projection.next_checkpoint(of_log, keys) w
            cross join lateral projection.chosen_offset(w.log_id, w.log_offset, w.checkpoint_version, w.layout_id, w.offsets, w.offsets_odd,
                                                        w.changelogs, w.store_names) o), kept_in_checkpoint as (insert into projection.checkpoint as c 
        select o.log_offset, o.record_time, o.message_time, projection.offset_number(o.value), o.log_id, o.key_id, o.n,
          o.partition_id, o.key_bucket, o.checkpoint_version, o.task_name, o.system_name, o.stream_name, o.value, o.checkpoint_id,
          o.source, o.host, o.username
        from chosen o where not o.is_state 
          on conflict (log_id, key_id, n) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, input_offset_number = excluded.input_offset_number, partition_id = excluded.partition_id, key_bucket = excluded.key_bucket, checkpoint_version = excluded.checkpoint_version, task_name = excluded.task_name, system_name = excluded.system_name, stream_name = excluded.stream_name, input_offset = excluded.input_offset, checkpoint_id = excluded.checkpoint_id, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded), kept_in_state_checkpoint as (insert into projection.state_checkpoint as c 
        select o.log_offset, o.record_time, o.message_time, o.log_id, o.key_id, o.n, o.partition_id, o.checkpoint_version, o.task_name,
          o.store_name, o.factory_name, o.marker_prefix || coalesce(o.value, '') || o.marker_suffix, o.system_name, o.stream_name,
          case when o.stream_name is not null then o.value end, o.checkpoint_id, o.source, o.host, o.username
        from chosen o where o.is_state 
          on conflict (log_id, key_id, n) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, changelog_partition = excluded.changelog_partition, checkpoint_version = excluded.checkpoint_version, task_name = excluded.task_name, store_name = excluded.store_name, factory_name = excluded.factory_name, marker = excluded.marker, changelog_system = excluded.changelog_system, changelog_stream = excluded.changelog_stream, changelog_offset = excluded.changelog_offset, checkpoint_id = excluded.checkpoint_id, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded)
      select array(select unnest(keys) except select key_id from chosen) into keys;
    end $$;

--
-- Name: keep_other_message(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_other_message(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_other_message as materialized (select * from projection.other_message_at(of_log, null, keys)), gone_from_other_message as (
          delete from projection.other_message where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.other_message o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.other_message c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_other_message) g
            cross join lateral (select c.ctid from projection.other_message c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.other_message as c table new_other_message
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, message_type = excluded.message_type, message_key = excluded.message_key, message_value = excluded.message_value, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_pending_startpoint(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_pending_startpoint(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_pending_startpoint as materialized (select * from projection.pending_startpoint_at(of_log, null, keys)), gone_from_pending_startpoint as (
          delete from projection.pending_startpoint where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.pending_startpoint o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.pending_startpoint c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_pending_startpoint) g
            cross join lateral (select c.ctid from projection.pending_startpoint c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.pending_startpoint as c table new_pending_startpoint
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, created_ms = excluded.created_ms, startpoint_type = excluded.startpoint_type, startpoint_value = excluded.startpoint_value, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_startpoint_fan_out(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_startpoint_fan_out(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_startpoint_fan_out as materialized (select * from projection.startpoint_fan_out_at(of_log, null, keys)), gone_from_startpoint_fan_out as (
          delete from projection.startpoint_fan_out where ctid = any (array(
            select r.ctid from (
              (select key_id, n from projection.startpoint_fan_out o where keys is null and o.log_id = of_log
               union all
               select key_id, n from unnest(keys) u(key)
               cross join lateral (select key_id, n from projection.startpoint_fan_out c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id, n from new_startpoint_fan_out) g
            cross join lateral (select c.ctid from projection.startpoint_fan_out c where c.log_id = of_log and c.key_id = g.key_id and c.n = g.n offset 0) r))
        )
          insert into projection.startpoint_fan_out as c table new_startpoint_fan_out
          on conflict (log_id, key_id, n) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, created_at = excluded.created_at, fanned_out_at = excluded.fanned_out_at, partition_id = excluded.partition_id, key_bucket = excluded.key_bucket, task_name = excluded.task_name, system_name = excluded.system_name, stream_name = excluded.stream_name, startpoint_type = excluded.startpoint_type, startpoint_value = excluded.startpoint_value, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_task_container(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_task_container(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_task_container as materialized (select * from projection.task_container_at(of_log, null, keys)), gone_from_task_container as (
          delete from projection.task_container where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.task_container o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.task_container c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_task_container) g
            cross join lateral (select c.ctid from projection.task_container c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.task_container as c table new_task_container
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, task_name = excluded.task_name, container_id = excluded.container_id, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_task_mode(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_task_mode(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_task_mode as materialized (select * from projection.task_mode_at(of_log, null, keys)), gone_from_task_mode as (
          delete from projection.task_mode where ctid = any (array(
            select r.ctid from (
              (select key_id from projection.task_mode o where keys is null and o.log_id = of_log
               union all
               select key_id from unnest(keys) u(key)
               cross join lateral (select key_id from projection.task_mode c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id from new_task_mode) g
            cross join lateral (select c.ctid from projection.task_mode c where c.log_id = of_log and c.key_id = g.key_id offset 0) r))
        )
          insert into projection.task_mode as c table new_task_mode
          on conflict (log_id, key_id) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, task_name = excluded.task_name, task_mode = excluded.task_mode, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keep_task_partition(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keep_task_partition(of_log integer, keys integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        begin
          with new_task_partition as materialized (select * from projection.task_partition_at(of_log, null, keys)), gone_from_task_partition as (
          delete from projection.task_partition where ctid = any (array(
            select r.ctid from (
              (select key_id, n from projection.task_partition o where keys is null and o.log_id = of_log
               union all
               select key_id, n from unnest(keys) u(key)
               cross join lateral (select key_id, n from projection.task_partition c where c.log_id = of_log and c.key_id = u.key offset 0) o)
              except select key_id, n from new_task_partition) g
            cross join lateral (select c.ctid from projection.task_partition c where c.log_id = of_log and c.key_id = g.key_id and c.n = g.n offset 0) r))
        )
          insert into projection.task_partition as c table new_task_partition
          on conflict (log_id, key_id, n) do update set log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time, partition_id = excluded.partition_id, key_bucket = excluded.key_bucket, system_name = excluded.system_name, stream_name = excluded.stream_name, task_name = excluded.task_name, source = excluded.source, host = excluded.host, username = excluded.username where c is distinct from excluded;
        end $$;

--
-- Name: keys_of(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.keys_of(log_id integer, keys integer[]) RETURNS SETOF projection.event_key
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select k.* from unnest($2) u(key_id)
  cross join lateral (select e.* from projection.event_key e where e.log_id = $1 and e.key_id = u.key_id offset 0) k
$_$;

--
-- Name: lock_stream(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.lock_stream(of_stream text) RETURNS boolean
    LANGUAGE plpgsql
    SET lock_timeout TO '100ms'
    AS $$
declare
  number integer;
begin
  begin
    insert into projection.stream_holder (stream_name, lock_id, backend_pid, taken_at)
    values (of_stream, floor(random() * 2147483647)::integer, 0, now()) on conflict do nothing;
    select h.lock_id into number from projection.stream_holder h where h.stream_name = of_stream for update;
  exception when lock_not_available then
    return false;
  end;
  while not pg_try_advisory_lock(7106407, number) loop
    if exists (select from projection.locked_stream h where h.stream_name = of_stream) then
      return false;
    end if;
    number := floor(random() * 2147483647)::integer;
  end loop;
  update projection.stream_holder h
  set lock_id = number, backend_pid = pg_backend_pid(), taken_at = clock_timestamp()
  where h.stream_name = of_stream;
  return true;
end $$;

--
-- Name: log_begins_at(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.log_begins_at(log_id integer) RETURNS TABLE(at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select greatest(f.log_time, (
    select max(t.at)
    from projection.job_log o
    cross join lateral (
      select x.from_offset from projection.changed_past x where x.log_id = o.log_id order by x.observation_id desc limit 1) x
    cross join lateral projection.log_time_at(o.log_id, x.from_offset) t
    where o.job_suffix = n.job_suffix and o.stream_kind = n.stream_kind and o.incarnation < n.incarnation))
  from projection.job_log n
  cross join lateral (select t.log_time from projection.log_time t where t.log_id = n.log_id order by t.log_offset limit 1) f
  where n.log_id = $1
$_$;

--
-- Name: log_bound(integer, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.log_bound(log_id integer, at timestamp with time zone) RETURNS TABLE(bound bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select coalesce(
    (select t.log_offset from projection.log_time t where t.log_id = $1 and t.log_time > least($2, timestamptz '294276-01-01 00:00:00+00') + interval '10 minutes' order by t.log_time, t.log_offset limit 1),
    9223372036854775807)
$_$;

--
-- Name: log_cut(integer, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.log_cut(log_id integer, at timestamp with time zone) RETURNS TABLE(cut bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select coalesce(
    (select coalesce(
        (select e.log_offset - 1 from projection.archived_event e
         where e.log_id = $1 and e.log_offset > s.log_offset and e.record_time > $2 and e.record_time <= e.archived_at + interval '1 hour'
         order by e.log_offset limit 1),
        9223372036854775807)
     from (select t.log_offset from projection.log_time t where t.log_id = $1 and t.log_time <= $2
           order by t.log_time desc, t.log_offset desc limit 1) s),
    -1)
$_$;

--
-- Name: log_shown(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.log_shown(log_id integer) RETURNS TABLE(since timestamp with time zone, until timestamp with time zone, after_offset bigint, last_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select b.at, e.at, (select c.cut from projection.log_cut(l.log_id, projection.just_before(b.at)) c),
    case when e.at is not null then (select c.cut from projection.log_cut(l.log_id, projection.just_before(e.at)) c) end
  from projection.job_log l
  cross join lateral projection.log_begins_at(l.log_id) b
  cross join lateral (
    select min(a.at) as at
    from projection.job_log n cross join lateral projection.log_begins_at(n.log_id) a
    where n.job_suffix = l.job_suffix and n.stream_kind = l.stream_kind and n.incarnation > l.incarnation and n.is_complete) e
  where l.log_id = $1 and l.is_complete
  offset 0                                                 -- once for each log, not for each of its events
$_$;

--
-- Name: log_shown_at(text, text, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.log_shown_at(job_suffix text, stream_kind text, at timestamp with time zone) RETURNS TABLE(log_id integer, incarnation integer, cut bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select l.log_id, l.incarnation, (select c.cut from projection.log_cut(l.log_id, $3) c)
  from projection.job_log l cross join lateral projection.log_begins_at(l.log_id) b
  where l.job_suffix = $1 and l.stream_kind = $2 and l.is_complete and b.at <= $3
  order by l.incarnation desc limit 1
$_$;

--
-- Name: log_time_at(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.log_time_at(log_id integer, log_offset bigint) RETURNS TABLE(at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select greatest(s.log_time,
    (select max(e.record_time) from projection.archived_event e
     where e.log_id = $1 and e.log_offset > s.log_offset and e.log_offset <= $2 and e.record_time <= e.archived_at + interval '1 hour'))
  from (select t.log_time, t.log_offset from projection.log_time t where t.log_id = $1 and t.log_offset <= $2
        order by t.log_offset desc limit 1) s
$_$;

--
-- Name: log_validity(integer, bigint, bigint, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.log_validity(log_id integer, from_offset bigint, to_offset bigint, since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(valid_from timestamp with time zone, valid_to timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select greatest(f.at, $4), case when coalesce(n.at, $5) is not null then greatest(f.at, $4, least(n.at, $5)) end
  from projection.log_time_at($1, $2) f
  left join lateral projection.log_time_at($1, $3) n on true
$_$;

--
-- Name: lost_after(); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.lost_after() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select interval '30 seconds'
$$;

--
-- Name: max_age(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.max_age(config_value text) RETURNS interval
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select case when $1 ~ '^[+-]?[0-9]+$' and pg_input_is_valid($1, 'bigint')
    then greatest(least(case when pg_input_is_valid($1, 'bigint') then $1 end::bigint, 9000000000000000), -9000000000000000) * interval '1 millisecond'
    else interval '10 minutes' end
$_$;

--
-- Name: message_change(integer, text, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.message_change(log_id integer, message_type text, message_key text) RETURNS TABLE(message_key text, system_name text, stream_name text, partition_id integer, key_bucket integer, is_sensitive boolean, previous_body jsonb, previous_offset bigint, body jsonb, log_offset bigint, next_body jsonb, next_offset bigint, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select t.message_key, t.system_name, t.stream_name, t.partition_id, t.key_bucket, t.is_sensitive,
    t.previous_body, t.previous_offset, t.body, t.log_offset, lead(t.body) over own, lead(t.log_offset) over own,
    t.record_time, t.message_time, t.source, t.host, t.username
  from (
    select s.*, lag(s.body) over own as previous_body, lag(s.log_offset) over own as previous_offset
    from (
      select k.message_key, k.system_name, k.stream_name, k.partition_id, k.key_bucket, k.is_sensitive, coalesce(e.body, u.body) as body,
        e.log_offset, e.record_time, e.message_time, e.source, e.host, e.username
      from projection.event_key k
      join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
      left join lateral (
        select b.body from projection.event_key o
        cross join lateral (
          select h.body, h.log_offset from projection.message_event h
          where h.log_id = o.log_id and h.key_id = o.key_id and h.log_offset <= e.log_offset -- keys swept at once have one offset
          order by h.log_offset desc limit 1) b
        where e.body is null and o.log_id = k.log_id and o.message_type = k.message_type and not o.is_other and o.key_id <> k.key_id
          and left(o.message_key, 100) = left(k.message_key, 100) and o.message_key = k.message_key and b.body is not null
        order by b.log_offset desc limit 1) u on true
      where k.log_id = $1 and k.message_type = $2 and not k.is_other and ($3 is null or k.message_key = $3)) s
    window own as (partition by s.message_key, s.system_name, s.stream_name, s.partition_id, s.key_bucket order by s.log_offset)) t
  where t.body is distinct from t.previous_body
  window own as (partition by t.message_key, t.system_name, t.stream_name, t.partition_id, t.key_bucket order by t.log_offset)
$_$;

--
-- Name: message_head(integer, bigint, text, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.message_head(log_id integer, cut bigint, message_type text, keys integer[]) RETURNS TABLE(log_id integer, key_id integer, message_type text, message_key text, system_name text, stream_name text, partition_id integer, key_bucket integer, is_sensitive boolean, body jsonb, record_time timestamp with time zone, message_time timestamp with time zone, source text, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select distinct on (k.message_type, k.message_key) k.log_id, k.key_id, k.message_type, k.message_key,
    k.system_name, k.stream_name, k.partition_id, k.key_bucket, k.is_sensitive, h.body,
    h.record_time, h.message_time, h.source, h.host, h.username, h.log_offset
  from (
    select e.* from projection.event_key e where $4 is null and e.log_id = $1 and (e.message_type = $3 and not e.is_other or $3 is null and e.is_other)
    union all
    select e.* from projection.keys_of($1, $4) e
    where e.message_type = $3 and not e.is_other or $3 is null and e.is_other) k
  cross join lateral (
    select e.* from projection.message_event e
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset <= coalesce($2, 9223372036854775807)
    order by e.log_offset desc limit 1) h
  where h.body is not null
  order by k.message_type, k.message_key, h.log_offset desc
$_$;

--
-- Name: message_validity(integer, text, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.message_validity(log_id integer, message_type text, since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(message_key text, is_sensitive boolean, body jsonb, valid_from timestamp with time zone, valid_to timestamp with time zone, log_offset bigint, next_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select c.message_key, c.is_sensitive, c.body, greatest(c.at, $3),
    case when coalesce(c.next_at, $4) is not null then greatest(c.at, $3, least(c.next_at, $4)) end, c.log_offset, c.next_offset
  from (
    select t.message_key, t.is_sensitive, t.body, t.log_offset, t.next_offset, f.at,
      lead(f.at) over (partition by t.message_key order by t.log_offset) as next_at
    from projection.message_change($1, $2, message_key => null) t
    cross join lateral (select a.at from projection.log_time_at($1, t.log_offset) a offset 0) f) c  -- `offset 0`: not once for each use
  where c.body is not null
$_$;

--
-- Name: move_position(integer, integer, bigint, bigint, text, jsonb); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.move_position(of_log integer, of_rebuild integer, from_offset bigint, to_offset bigint, notice text, rows jsonb) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
begin
  perform from projection.position where log_id = of_log and next_offset = from_offset and rebuilds = of_rebuild for update;
  if not found then
    return false;
  end if;
  if rows ? 'eventlog.event' then
    insert into eventlog.event select * from jsonb_populate_recordset(null::eventlog.event, rows -> 'eventlog.event');
  end if;
  if rows ? 'projection.event_key' then
    insert into projection.event_key select * from jsonb_populate_recordset(null::projection.event_key, rows -> 'projection.event_key');
  end if;
  if rows ? 'projection.startpoint_reading' then
    insert into projection.startpoint_reading select * from jsonb_populate_recordset(null::projection.startpoint_reading, rows -> 'projection.startpoint_reading');
  end if;
  if rows ? 'projection.checkpoint_layout' then
    insert into projection.checkpoint_layout select * from jsonb_populate_recordset(null::projection.checkpoint_layout, rows -> 'projection.checkpoint_layout');
  end if;
  if rows ? 'projection.checkpoint_event' then
    insert into projection.checkpoint_event select * from jsonb_populate_recordset(null::projection.checkpoint_event, rows -> 'projection.checkpoint_event');
  end if;
  if rows ? 'projection.checkpoint_envelope' then
    insert into projection.checkpoint_envelope select * from jsonb_populate_recordset(null::projection.checkpoint_envelope, rows -> 'projection.checkpoint_envelope');
  end if;
  if rows ? 'projection.suspect_checkpoint' then
    insert into projection.suspect_checkpoint select * from jsonb_populate_recordset(null::projection.suspect_checkpoint, rows -> 'projection.suspect_checkpoint');
  end if;
  if rows ? 'projection.message_event' then
    insert into projection.message_event select * from jsonb_populate_recordset(null::projection.message_event, rows -> 'projection.message_event');
  end if;
  if rows ? 'projection.log_time' then
    insert into projection.log_time select * from jsonb_populate_recordset(null::projection.log_time, rows -> 'projection.log_time');
  end if;
  if rows ? 'projection.gap' then
    insert into projection.gap select * from jsonb_populate_recordset(null::projection.gap, rows -> 'projection.gap');
  end if;
  if rows ? 'projection.quarantine' then
    insert into projection.quarantine select * from jsonb_populate_recordset(null::projection.quarantine, rows -> 'projection.quarantine');
  end if;
  if rows ? 'resolved' then
    update projection.quarantine q
    set resolved_by = (select min(r.resolved_by) from jsonb_to_recordset(rows -> 'resolved') r(key_id integer, resolved_by bigint)
                       where r.key_id = q.key_id and r.resolved_by > q.log_offset)
    where q.log_id = of_log and q.resolved_by is null
      and q.key_id in (select r.key_id from jsonb_to_recordset(rows -> 'resolved') r(key_id integer));
  end if;
  if rows ? 'touched' then
    perform projection.keep_current(of_log, array(select key::integer from jsonb_array_elements_text(rows -> 'touched' -> 'messages') key),
                                    array(select key::integer from jsonb_array_elements_text(rows -> 'touched' -> 'checkpoints') key));
  end if;
  -- The end that a follower saw before it was lost is an old one: if it was suspended, the log was not read since.
  update projection.position
  set next_offset = to_offset, heartbeat_at = m.moved_at,
      read_at = case when to_offset >= end_offset and not projection.is_lost(state, heartbeat_at, m.moved_at) then m.moved_at else read_at end,
      end_offset = case when projection.is_lost(state, heartbeat_at, m.moved_at) then null
                        when to_offset > end_offset then to_offset else end_offset end
  from (select clock_timestamp()) m(moved_at) where log_id = of_log;
  perform pg_notify('coordstream_position', notice);
  return true;
end $$;

--
-- Name: newest_bound(text, text, text, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.newest_bound(job_suffix text, system_name text, stream_name text, partition_id integer) RETURNS TABLE(oldest_offset bigint, end_offset bigint, observed_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select b.oldest_offset, b.end_offset, b.observed_at from projection.observed_input b
  where b.job_suffix = $1 and b.system_name = $2 and b.stream_name = $3 and b.partition_id = $4
  order by b.observed_at desc limit 1
$_$;

--
-- Name: newest_grouper(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.newest_grouper(log_id integer, cut bigint) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select case when min(k.grouper_factory) = max(k.grouper_factory) and count(k.grouper_factory) = count(*) then min(k.grouper_factory) else (
    select n.grouper_factory from projection.checkpoint_head($1, $2, null) n where n.checkpoint_version > 0 order by n.log_offset desc limit 1) end
  from projection.event_key k
  where k.log_id = $1 and k.checkpoint_version > 0 and not k.is_other
$_$;

--
-- Name: next_checkpoint(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.next_checkpoint(log_id integer, keys integer[]) RETURNS TABLE(log_id integer, key_id integer, task_name text, checkpoint_version integer, layout_id bigint, checkpoint_id text, offsets text, offsets_odd text[], record_time timestamp with time zone, log_offset bigint, changelogs text[], store_names text[])
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.log_id, k.key_id, k.message_key, k.checkpoint_version, h.layout_id, h.checkpoint_id, h.offsets, h.offsets_odd, h.record_time, h.log_offset,
    j.changelogs, j.store_names
  from projection.job_log j
  cross join lateral projection.keys_of(j.log_id, $2) k
  cross join lateral (
    select c.log_offset from projection.checkpoint c where c.log_id = k.log_id and c.key_id = k.key_id limit 1) c
  cross join lateral (
    select e.layout_id from projection.checkpoint_event e
    where e.log_id = k.log_id and e.key_id = k.key_id and e.log_offset = c.log_offset limit 1) p
  cross join lateral (
    select e.* from projection.checkpoint_event e where e.log_id = k.log_id and e.key_id = k.key_id order by e.log_offset desc limit 1) h
  where j.log_id = $1 and j.lower_version is null and h.layout_id = p.layout_id
$_$;

--
-- Name: next_offset(bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.next_offset(input_offset_number bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when $1 between -1 and 9223372036854775806 then $1 + 1 end
$_$;

--
-- Name: offset_of(text, text[], integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.offset_of(offsets text, offsets_odd text[], n integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when $1 is null then $2[$3] else nullif(split_part($1, E'\x1f', $3), E'\x1e') end
$_$;

--
-- Name: offset_setting(text, text, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.offset_setting(stream_id text, system_name text, stream_name text) RETURNS TABLE(rule text, place integer, config_key text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  values ('reset', 1, 'streams.' || $1 || '.samza.reset.offset'),
         ('reset', 2, 'systems.' || $2 || '.streams.' || $3 || '.samza.reset.offset'),
         ('reset', 3, 'systems.' || $2 || '.default.stream.samza.reset.offset'),
         ('default', 1, 'streams.' || $1 || '.samza.offset.default'),
         ('default', 2, 'systems.' || $2 || '.streams.' || $3 || '.samza.offset.default'),
         ('default', 3, 'systems.' || $2 || '.default.stream.samza.offset.default'),
         ('default', 4, 'systems.' || $2 || '.samza.offset.default')
$_$;

--
-- Name: offsets_of(text, text[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.offsets_of(offsets text, offsets_odd text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case $1 when '' then array[''] else coalesce(string_to_array($1, E'\x1f', E'\x1e'), $2) end
$_$;

--
-- Name: opened(projection.checkpoint_layout, text, text[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.opened(layout projection.checkpoint_layout, offsets text, offsets_odd text[]) RETURNS TABLE(n integer, partition_id integer, key_bucket integer, is_state boolean, system_name text, stream_name text, factory_name text, store_name text, marker_prefix text, marker_suffix text, value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select generate_subscripts(($1).is_state, 1), unnest(($1).partition_id), unnest(($1).key_bucket), unnest(($1).is_state),
    unnest(($1).system_name), unnest(($1).stream_name), unnest(($1).factory_name), unnest(($1).store_name),
    unnest(($1).marker_prefix), unnest(($1).marker_suffix), unnest(projection.offsets_of($2, $3))
$_$;

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
-- Name: other_message_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.other_message_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.other_message
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_type, m.message_key, m.body ->> 'message_value',
    m.source, m.host, m.username
  from projection.message_head($1, $2, null, $3) m
$_$;

--
-- Name: other_message_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.other_message_now(log_id integer) RETURNS SETOF projection.other_message
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.other_message_at($1, null, null) r
        $_$;

--
-- Name: other_message_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.other_message_state(log_id integer, cut bigint) RETURNS SETOF projection.other_message
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.other_message c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.other_message_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: partition_offset(integer, bigint, text, text[], text, text, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.partition_offset(log_id integer, layout_id bigint, offsets text, offsets_odd text[], system_name text, stream_name text, partition_id integer) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select projection.offset_of($3, $4, l.n) from projection.layout_entry l
  where l.log_id = $1 and l.layout_id = $2 and not l.is_state
    and l.system_name = $5 and l.stream_name = $6 and l.partition_id = $7
  order by l.key_bucket limit 1
$_$;

--
-- Name: partition_offsets(integer, bigint, text, text[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.partition_offsets(log_id integer, layout_id bigint, offsets text, offsets_odd text[]) RETURNS TABLE(system_name text, stream_name text, partition_id integer, input_offset text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select distinct on (o.system_name, o.stream_name, o.partition_id) o.system_name, o.stream_name, o.partition_id, o.value
  from (select l from projection.checkpoint_layout l where l.log_id = $1 and l.layout_id = $2 offset 0) y(layout)
  cross join lateral projection.opened_input(y.layout, $3, $4) o
  where not o.is_state
  order by o.system_name, o.stream_name, o.partition_id, o.key_bucket
$_$;

--
-- Name: passed_offset(text, text, text, text, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.passed_offset(job_name text, job_id text, system_name text, stream_name text, partition_id integer) RETURNS TABLE(log_id integer, task_name text, key_bucket integer, previous_number bigint, input_offset text, input_offset_number bigint, record_time timestamp with time zone, stream_kind text, incarnation integer, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select s.log_id, h.task_name, h.key_bucket, lag(h.input_offset_number) over (partition by h.task_name, h.key_bucket order by h.incarnation, h.log_offset),
    h.input_offset, h.input_offset_number, h.record_time, h.stream_kind, h.incarnation, h.log_offset
  from coordinator.checkpoint_history h
  join projection.job_log_span($1, $2) s using (stream_kind, incarnation)
  where h.job_name = $1 and h.job_id = $2 and h.system_name = $3 and h.stream_name = $4 and h.partition_id = $5
    and h.is_preferred and h.input_offset_number is not null and coalesce(h.log_offset > s.after_offset and h.log_offset <= s.last_offset, true)
$_$;

--
-- Name: pending_startpoint(integer, bigint, integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.pending_startpoint(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint) RETURNS TABLE(key_id integer, system_name text, stream_name text, partition_id integer, key_bucket integer, task_name text, startpoint_type text, startpoint_value text, created_ms bigint, is_ambiguous boolean, record_time timestamp with time zone, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.key_id, r.system_name, r.stream_name, r.partition_id, -1, r.task_name, m.startpoint_type, m.startpoint_value, m.created_ms,
    r.is_ambiguous, m.record_time, m.host, m.username, m.log_offset
  from projection.pending_startpoint_state($1, $2) m
  cross join lateral projection.startpoint_meaning($1, m.key_id, $2, $3, $4) r
$_$;

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
-- Name: pending_startpoint_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.pending_startpoint_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.pending_startpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id,
    (m.body ->> 'created_ms')::bigint, m.body ->> 'startpoint_type', m.body ->> 'startpoint_value', m.source, m.host, m.username
  from projection.message_head($1, $2, 'samza-startpoint-v1', $3) m
$_$;

--
-- Name: pending_startpoint_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.pending_startpoint_now(log_id integer) RETURNS SETOF projection.pending_startpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.pending_startpoint_at($1, null, null) r
        $_$;

--
-- Name: pending_startpoint_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.pending_startpoint_state(log_id integer, cut bigint) RETURNS SETOF projection.pending_startpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.pending_startpoint c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.pending_startpoint_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: read_log(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.read_log(log_id integer) RETURNS TABLE(coordinator_log integer, checkpoint_log integer)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.coordinator_log, j.checkpoint_log
  from projection.job_log l join projection.current_job j on j.job_suffix = l.job_suffix
  where l.log_id = $1 and coalesce(j.checkpoint_log, j.coordinator_log) = $1
$_$;

--
-- Name: reading_rank(integer, bigint, integer, bigint, text, text, integer, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.reading_rank(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, system_name text, stream_name text, partition_id integer, task_name text) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select case
    when not exists (
      select from projection.task_input($1, $2, $3, $4, $8) t
      where t.system_name = $5 and t.stream_name = $6 and t.partition_id = $7) then 0
    when projection.is_input((
      select coalesce(jsonb_object_agg(c.config_key, c.config_value), '{}'::jsonb) from projection.config_state($1, $2) c), $5, $6) then 2
    else 1 end
$_$;

--
-- Name: receipt_job(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.receipt_job(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS TABLE(job_name text, job_id text, job_bucket integer, job_suffix text, coordinator_log integer, coordinator_incarnation integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select n.job_name, n.job_id, n.job_bucket, n.job_suffix,
    max(n.log_id) filter (where n.stream_kind = 'coordinator'), max(n.incarnation) filter (where n.stream_kind = 'coordinator'),
    max(n.last_offset) filter (where n.stream_kind = 'coordinator'),
    max(n.log_id) filter (where n.stream_kind = 'checkpoint'), max(n.last_offset) filter (where n.stream_kind = 'checkpoint')
  from (
    select distinct on (l.job_bucket, l.job_suffix, l.stream_kind) l.* from projection.receipt_log($1, $2, $3) l
    order by l.job_bucket, l.job_suffix, l.stream_kind, l.is_complete desc, l.incarnation desc) n
  group by n.job_name, n.job_id, n.job_bucket, n.job_suffix
$_$;

--
-- Name: receipt_log(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS TABLE(log_id integer, job_name text, job_id text, job_bucket integer, job_suffix text, stream_kind text, incarnation integer, is_complete boolean, last_offset bigint, cut_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select distinct on (l.job_bucket, l.log_id) l.log_id, l.job_name, l.job_id, l.job_bucket, l.job_suffix, l.stream_kind, l.incarnation,
    l.is_complete, projection.retained_cut(l.log_id, e.next_offset - 1), $3
  from unnest($1, $2) e(log_id, next_offset) join projection.job_log l on l.log_id = e.log_id
$_$;

--
-- Name: retained_cut(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.retained_cut(log_id integer, cut bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $_$
declare
  known bigint := (select max(t.log_offset) from projection.log_time t where t.log_id = $1 and t.log_offset <= $2);
  horizon record;
begin
  if known is null then  -- the log had no events by then
    return $2;
  end if;
  select h.horizon_offset, h.horizon_time, l.stream_name into horizon
  from projection.log_horizon h join projection.job_log l on l.log_id = h.log_id
  where h.log_id = $1 and h.horizon_offset > $2;
  if found then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'The history of "%s" is retained from %s UTC (offset %s). Use that time or a later one.', horizon.stream_name,
      to_char(horizon.horizon_time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), horizon.horizon_offset);
  end if;
  if exists (select from projection.archived_event e where e.log_id = $1 and e.log_offset = known)
     or exists (select from projection.archived_event e where e.log_id = $1 and e.log_offset <= $2) then
    return $2;
  end if;
  raise exception using errcode = 'invalid_parameter_value', message = (
    select case when r.first_offset is null then format('The archive no longer has any event of "%s".', l.stream_name)
      else format('The archive of "%s" begins at offset %s. Use that offset or a later one, or a later time.',
                  l.stream_name, r.first_offset) end
    from projection.job_log l
    cross join lateral (select min(e.log_offset) as first_offset from projection.archived_event e where e.log_id = l.log_id) r
    where l.log_id = $1);
end
$_$;

--
-- Name: retired_detail(timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.retired_detail(retired_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select 'retired on ' || to_char($1 at time zone 'UTC', 'YYYY-MM-DD') || ': nothing follows it'
$_$;

--
-- Name: rule_of_job(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.rule_of_job(job_suffix text) RETURNS TABLE(has_checkpoint_topic boolean, versions integer[], lower_version integer, max_age interval, grouper_factory text, changelogs text[], store_names text[])
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select o.has_checkpoint_topic, r.*
  from (
    select max(p.log_id) filter (where p.stream_kind = 'coordinator') as coordinator_log,
      coalesce(bool_or(p.stream_kind = 'checkpoint'), false) as has_checkpoint_topic
    from projection.job_log p where p.job_suffix = $1 and p.is_current) o
  cross join lateral projection.checkpoint_rule(o.coordinator_log, null) r
$_$;

--
-- Name: ruled_receipt_log(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.ruled_receipt_log(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS TABLE(log_id integer, job_name text, job_id text, job_bucket integer, stream_kind text, incarnation integer, last_offset bigint, has_checkpoint_topic boolean, versions integer[], lower_version integer, max_age interval, grouper_factory text, changelogs text[], store_names text[])
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select distinct on (j.job_bucket, l.log_id) l.log_id, l.job_name, l.job_id, j.job_bucket, l.stream_kind, l.incarnation, l.last_offset,
    j.checkpoint_log is not null, r.versions, r.lower_version, r.max_age, r.grouper_factory, r.changelogs, r.store_names
  from projection.receipt_job($1, $2, $3) j
  cross join lateral projection.checkpoint_rule(j.coordinator_log, j.coordinator_cut) r
  join projection.receipt_log($1, $2, $3) l on l.job_suffix = j.job_suffix
$_$;

--
-- Name: same_checkpoint_key(integer, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.same_checkpoint_key(log_id integer, key_id integer) RETURNS TABLE(key_id integer)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select s.key_id
  from projection.event_key k
  join projection.event_key s on s.log_id = k.log_id and s.message_type = k.message_type and not s.is_other
    and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key
    and s.grouper_factory is not distinct from k.grouper_factory
  where k.log_id = $1 and k.key_id = $2
$_$;

--
-- Name: spelling(integer, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.spelling(log_id integer, keys integer[]) RETURNS TABLE(message_type text, key_id integer)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select k.message_type, s.key_id
  from projection.keys_of($1, $2) k
  cross join lateral (
    select s.key_id from projection.event_key s
    where s.log_id = $1 and s.message_type = k.message_type and not s.is_other
      and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key offset 0) s
  where not k.is_other
  union
  select null, s.key_id
  from projection.event_key s
  where s.log_id = $1 and s.is_other
    and (s.message_type, s.message_key) in (select k.message_type, k.message_key from projection.keys_of($1, $2) k where k.is_other)
$_$;

--
-- Name: starting_offset_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.starting_offset_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.starting_offset
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.receipt_job($1, $2, $3) j
  cross join lateral projection.starting_offset_state(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, at => $3, only_task => null) r
  where r.decided_by is not null
$_$;

--
-- Name: startpoint_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.startpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select j.job_name, j.job_id, j.job_bucket, r.*
  from projection.receipt_job($1, $2, $3) j
  cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, j.coordinator_cut,
                                                 j.checkpoint_log, j.checkpoint_cut, $3) r
  where j.coordinator_log is not null
$_$;

--
-- Name: startpoint_candidate(integer, bigint, integer, bigint, timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_candidate(log_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint, at timestamp with time zone) RETURNS TABLE(system_name text, stream_name text, partition_id integer, task_name text, startpoint_type text, startpoint_value text, created_ms bigint, is_expired boolean, is_ambiguous boolean, record_time timestamp with time zone, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select n.system_name, n.stream_name, n.partition_id, n.task_name, r.startpoint_type, r.startpoint_value,
    r.created_ms, projection.is_expired(r.created_ms, $5), r.is_ambiguous, r.record_time, r.host, r.username, r.log_offset
  from projection.pending_startpoint($1, $2, $3, $4) r
  cross join lateral (
    select r.system_name, r.stream_name, r.partition_id, r.task_name where not r.is_ambiguous
    union all
    select p.system_name, p.stream_name, p.partition_id, p.task_name from projection.startpoint_reading p
    where r.is_ambiguous and p.log_id = $1 and p.key_id = r.key_id) n
$_$;

--
-- Name: startpoint_expires_at(bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_expires_at(created_ms bigint) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select projection.to_time(least($1, 9223372036854775807 - 43200000) + 43200000)
$_$;

--
-- Name: startpoint_fan_out_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_fan_out_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.startpoint_fan_out
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.startpoint_type, r.startpoint_value, r.created_at, r.fanned_out_at, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.startpoint_fan_out_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: startpoint_fan_out_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_fan_out_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.startpoint_fan_out
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, f.n::integer,
    projection.to_time(f.created_ms), projection.to_time((m.body ->> 'fanned_out_ms')::bigint), f.partition_id, f.key_bucket,
    m.message_key, f.system_name, f.stream_name, f.startpoint_type, f.startpoint_value, m.source, m.host, m.username
  from projection.message_head($1, $2, 'samza-startpoint-v1-fan-out', $3) m
  cross join lateral rows from (jsonb_to_recordset(m.body -> 'fan_outs') as
    (system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint))
    with ordinality f(system_name, stream_name, partition_id, key_bucket, startpoint_type, startpoint_value, created_ms, n)
$_$;

--
-- Name: startpoint_fan_out_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_fan_out_now(log_id integer) RETURNS SETOF projection.startpoint_fan_out
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.startpoint_fan_out_at($1, null, null) r
        $_$;

--
-- Name: startpoint_fan_out_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_fan_out_state(log_id integer, cut bigint) RETURNS SETOF projection.startpoint_fan_out
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.startpoint_fan_out c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.startpoint_fan_out_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: startpoint_fanned_out(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_fanned_out(log_id integer, cut bigint) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint, fanned_out_ms bigint, record_time timestamp with time zone, host text, username text, log_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select t.task_name, f.system_name, f.stream_name, f.partition_id, f.key_bucket, f.startpoint_type, f.startpoint_value, f.created_ms,
    m.fanned_out_ms, t.record_time, t.host, t.username, t.log_offset
  from projection.fan_out_change($1, $2) t
  cross join lateral (                                     -- `offset 0`: once for each event, not for each of its startpoints
    select (t.body ->> 'fanned_out_ms')::bigint, coalesce(t.previous_body -> 'fan_outs', '[]'::jsonb) offset 0) m(fanned_out_ms, previous)
  cross join lateral jsonb_array_elements(t.body -> 'fan_outs') x(entry)
  cross join lateral jsonb_to_record(x.entry)
    f(system_name text, stream_name text, partition_id integer, key_bucket integer, startpoint_type text, startpoint_value text, created_ms bigint)
  where not m.previous @> jsonb_build_array(x.entry)
$_$;

--
-- Name: startpoint_history_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.startpoint_history
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select l.job_name, l.job_id, l.job_bucket, r.*
  from projection.receipt_log($1, $2, $3) l
  cross join lateral projection.startpoint_history_state(l.log_id, l.incarnation, l.last_offset, $3) r
  where l.stream_kind = 'coordinator'
$_$;

--
-- Name: startpoint_meaning(integer, integer, bigint, integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_meaning(log_id integer, key_id integer, cut bigint, checkpoint_log integer, checkpoint_cut bigint) RETURNS TABLE(system_name text, stream_name text, partition_id integer, task_name text, is_ambiguous boolean)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select r.system_name, r.stream_name, r.partition_id, r.task_name, r.rank = 0 or r.equal_readings > 1
  from (
    select k.*, count(*) over (partition by k.rank) as equal_readings, row_number() over (order by k.rank desc, k.n) as place
    from (
      select s.*, case when s.readings > 1
          then projection.reading_rank($1, $3, $4, $5, s.system_name, s.stream_name, s.partition_id, s.task_name) else 2 end as rank
      from (select p.*, count(*) over () as readings from projection.startpoint_reading p where p.log_id = $1 and p.key_id = $2) s) k) r
  where r.place = 1
$_$;

--
-- Name: startpoint_outcome(text, text, timestamp with time zone, timestamp with time zone, text, timestamp with time zone, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_outcome(startpoint_type text, startpoint_value text, fanned_out_at timestamp with time zone, checkpoint_time timestamp with time zone, input_offset text, earlier_time timestamp with time zone, earlier_offset text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case
    when $4 is null then 'consumed'
    when $4 < $3 or $5 is null then 'deleted'
    when o.new > o.old and case
      when $1 = 'upcoming' then false
      when $1 = 'timestamp' then projection.to_time(o.start::bigint) <= $6
      when o.start is null then true
      when o.start <= o.old then o.old - o.start + 1 > o.new - o.old
      else o.new < o.start end then 'refused'
    else 'consumed' end
  from (select projection.offset_number($5)::numeric, projection.offset_number($7)::numeric,
          case when $1 = 'oldest' then 0 else projection.offset_number($2)::numeric end) o(new, old, start)
$_$;

--
-- Name: startpoint_requested(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.startpoint_requested(log_id integer, cut bigint) RETURNS TABLE(system_name text, stream_name text, partition_id integer, task_name text, is_ambiguous boolean, startpoint_type text, startpoint_value text, created_ms bigint, record_time timestamp with time zone, log_offset bigint, host text, username text, is_overwritten boolean, end_time timestamp with time zone, end_host text, end_username text, end_offset bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select r.system_name, r.stream_name, r.partition_id, r.task_name, r.is_ambiguous,
    e.body ->> 'startpoint_type', e.body ->> 'startpoint_value', (e.body ->> 'created_ms')::bigint, e.record_time, e.log_offset,
    e.host, e.username, n.is_overwritten, n.record_time, n.host, n.username, n.log_offset
  from projection.event_key k
  join projection.message_event e on e.log_id = k.log_id and e.key_id = k.key_id
  left join lateral (
    select x.* from projection.event_key s
    cross join lateral (
      select m.body is not null as is_overwritten, m.record_time, m.host, m.username, m.log_offset from projection.message_event m
      where m.log_id = s.log_id and m.key_id = s.key_id and m.log_offset > e.log_offset and m.log_offset <= coalesce($2, 9223372036854775807)
        and (m.body is not null or m.key_id = e.key_id)
      order by m.log_offset limit 1) x
    where s.log_id = k.log_id and s.message_type = 'samza-startpoint-v1' and not s.is_other
      and left(s.message_key, 100) = left(k.message_key, 100) and s.message_key = k.message_key
    order by x.log_offset limit 1) n on true
  left join lateral (                                      -- only for a key that can be read in several ways
    select l.* from (select s.log_id from projection.startpoint_reading s where s.log_id = k.log_id and s.key_id = k.key_id and s.n = 2 offset 0) s
    cross join lateral projection.checkpoint_log_at(s.log_id, coalesce(n.log_offset, $2)) l) p on true
  cross join lateral projection.startpoint_meaning(k.log_id, k.key_id, coalesce(n.log_offset, $2), p.log_id, p.cut) r
  where k.log_id = $1 and k.message_type = 'samza-startpoint-v1' and not k.is_other
    and e.body is not null and e.log_offset <= coalesce($2, 9223372036854775807)
$_$;

--
-- Name: state_checkpoint_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.state_checkpoint_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.state_checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.store_name, r.factory_name, r.marker, r.changelog_system, r.changelog_stream, r.changelog_partition, r.changelog_offset, r.checkpoint_id, r.checkpoint_version, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.state_checkpoint_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: state_checkpoint_at(integer, bigint, integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.state_checkpoint_at(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, keys integer[]) RETURNS SETOF projection.state_checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$ 
        select o.log_offset, o.record_time, o.message_time, o.log_id, o.key_id, o.n, o.partition_id, o.checkpoint_version, o.task_name,
          o.store_name, o.factory_name, o.marker_prefix || coalesce(o.value, '') || o.marker_suffix, o.system_name, o.stream_name,
          case when o.stream_name is not null then o.value end, o.checkpoint_id, o.source, o.host, o.username
        from (
            select w.log_id, w.key_id, w.log_offset, w.record_time, w.task_name, w.checkpoint_version, w.checkpoint_id, o.*
            from projection.checkpoint_choice($1, $2, $3, $4, null, false) w
            cross join lateral projection.chosen_offset(w.log_id, w.log_offset, w.checkpoint_version, w.layout_id, w.offsets, w.offsets_odd,
                                                        w.changelogs, w.store_names) o) o where o.is_state  $_$;

--
-- Name: state_checkpoint_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.state_checkpoint_history AS
 SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    c.task_name,
        CASE
            WHEN (l.n IS NOT NULL) THEN COALESCE(l.store_name, c.store_names[array_position(c.changelogs, ((l.system_name || '.'::text) || l.stream_name))], ''::text)
            ELSE NULL::text
        END AS store_name,
        CASE
            WHEN (l.n IS NOT NULL) THEN COALESCE(l.factory_name, 'org.apache.samza.storage.KafkaChangelogStateBackendFactory'::text)
            ELSE NULL::text
        END AS factory_name,
    ((l.marker_prefix || COALESCE(l.value, ''::text)) || l.marker_suffix) AS marker,
    l.system_name AS changelog_system,
    l.stream_name AS changelog_stream,
    l.partition_id AS changelog_partition,
        CASE
            WHEN (l.stream_name IS NOT NULL) THEN l.value
            ELSE NULL::text
        END AS changelog_offset,
    c.checkpoint_id,
    c.checkpoint_version,
    c.operation,
    c.is_preferred,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset
   FROM (projection.counted_commit c
     LEFT JOIN LATERAL projection.opened(c.layout, c.offsets, c.offsets_odd) l(n, partition_id, key_bucket, is_state, system_name, stream_name, factory_name, store_name, marker_prefix, marker_suffix, value) ON ((l.is_state OR projection.is_changelog(c.checkpoint_version, l.system_name, l.stream_name, c.changelogs))));

--
-- Name: VIEW state_checkpoint_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.state_checkpoint_history IS 'The state in every checkpoint ever written: one row per store and backend. A delete or a checkpoint without state is one row whose store is null.
Key: job_name, job_id, stream_kind, incarnation, log_offset, task_name, checkpoint_version, store_name, factory_name, changelog_system, changelog_stream, changelog_partition.';

--
-- Name: COLUMN state_checkpoint_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN state_checkpoint_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN state_checkpoint_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN state_checkpoint_history.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.task_name IS 'The task.';

--
-- Name: COLUMN state_checkpoint_history.store_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.store_name IS 'The store; empty if version 1 has a changelog for which config names no store. Null: a delete, or a checkpoint without state.';

--
-- Name: COLUMN state_checkpoint_history.factory_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.factory_name IS 'The class of the backend that wrote the state. Null: a delete, or a checkpoint without state.';

--
-- Name: COLUMN state_checkpoint_history.marker; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.marker IS 'What the backend wrote to find its backup again. Null: a delete or no state; version 1 has no markers.';

--
-- Name: COLUMN state_checkpoint_history.changelog_system; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.changelog_system IS 'The system of the changelog. Null: a delete or no state, or the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_checkpoint_history.changelog_stream; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.changelog_stream IS 'The stream of the changelog. Null: a delete or no state, or the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_checkpoint_history.changelog_partition; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.changelog_partition IS 'The partition of the changelog. Null: a delete or no state, or the backend keeps no changelog in Kafka.';

--
-- Name: COLUMN state_checkpoint_history.changelog_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.changelog_offset IS 'The last offset of the changelog that is part of the checkpoint. Null: a delete or no state, the changelog was empty, or the backend keeps none in Kafka.';

--
-- Name: COLUMN state_checkpoint_history.checkpoint_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.checkpoint_id IS 'Identifies the commit: versions 1 and 2 of one commit have the same id. Null: a delete; versions 0 and 1 have it only if state was committed.';

--
-- Name: COLUMN state_checkpoint_history.checkpoint_version; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.checkpoint_version IS '0: `set-checkpoint` on the coordinator stream; 1 and 2: the two formats of the checkpoint topic.';

--
-- Name: COLUMN state_checkpoint_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN state_checkpoint_history.is_preferred; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.is_preferred IS 'Whether the job, with its current config, would have read this checkpoint when it was written. Of the versions of a commit, that is the first in task.checkpoint.read.versions. Another one is preferred only if the task has no earlier checkpoint of a version before it in that list, or only an outdated one. Always false in a log that checkpoints are not read from.';

--
-- Name: COLUMN state_checkpoint_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN state_checkpoint_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN state_checkpoint_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN state_checkpoint_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN state_checkpoint_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN state_checkpoint_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN state_checkpoint_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN state_checkpoint_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.state_checkpoint_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: state_checkpoint_history_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.state_checkpoint_history_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.state_checkpoint_history
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$  SELECT c.job_name,
    c.job_id,
    c.job_bucket,
    c.task_name,
        CASE
            WHEN (l.n IS NOT NULL) THEN COALESCE(l.store_name, c.store_names[array_position(c.changelogs, ((l.system_name || '.'::text) || l.stream_name))], ''::text)
            ELSE NULL::text
        END AS store_name,
        CASE
            WHEN (l.n IS NOT NULL) THEN COALESCE(l.factory_name, 'org.apache.samza.storage.KafkaChangelogStateBackendFactory'::text)
            ELSE NULL::text
        END AS factory_name,
    ((l.marker_prefix || COALESCE(l.value, ''::text)) || l.marker_suffix) AS marker,
    l.system_name AS changelog_system,
    l.stream_name AS changelog_stream,
    l.partition_id AS changelog_partition,
        CASE
            WHEN (l.stream_name IS NOT NULL) THEN l.value
            ELSE NULL::text
        END AS changelog_offset,
    c.checkpoint_id,
    c.checkpoint_version,
    c.operation,
    c.is_preferred,
    c.record_time,
    c.message_time,
    c.source,
    c.host,
    c.username,
    c.stream_kind,
    c.incarnation,
    c.log_offset
   FROM (projection.counted_commit_as_read($1, $2, $3) c
     LEFT JOIN LATERAL projection.opened(c.layout, c.offsets, c.offsets_odd) l(n, partition_id, key_bucket, is_state, system_name, stream_name, factory_name, store_name, marker_prefix, marker_suffix, value) ON ((l.is_state OR projection.is_changelog(c.checkpoint_version, l.system_name, l.stream_name, c.changelogs)))) $_$;

--
-- Name: state_checkpoint_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.state_checkpoint_now(log_id integer) RETURNS SETOF projection.state_checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.read_log($1) l cross join lateral projection.state_checkpoint_at(l.coordinator_log, null, l.checkpoint_log, null, null) r
        $_$;

--
-- Name: state_checkpoint_state(integer, bigint, integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.state_checkpoint_state(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint) RETURNS SETOF projection.state_checkpoint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.state_checkpoint c where c.log_id = coalesce($3, $1) and projection.is_read_now($1, $2, $3, $4)
          union all
          select a.* from projection.state_checkpoint_at($1, $2, $3, $4, null) a where not projection.is_read_now($1, $2, $3, $4)
        $_$;

--
-- Name: state_lag_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.state_lag_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.state_lag
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.store_name, r.factory_name, r.marker, r.changelog_system, r.changelog_stream, r.changelog_partition, r.changelog_offset, r.commits_since_change, r.changed_at, r.age_seconds, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.state_lag_at(j.coordinator_log, j.coordinator_cut, j.checkpoint_log, j.checkpoint_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null or j.checkpoint_log is not null
      $_$;

--
-- Name: stream_id(jsonb); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.stream_id(config jsonb) RETURNS TABLE(system_name text, stream_name text, stream_id text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select s.system_name, s.stream_name, min(i.stream_id collate "C")
  from (select distinct split_part(k.config_key, '.', 2) from jsonb_object_keys($1) k(config_key) where k.config_key like 'streams.%') i(stream_id)
  cross join lateral projection.stream_of_id($1, i.stream_id) s
  where s.system_name is not null
  group by s.system_name, s.stream_name
$_$;

--
-- Name: stream_of_id(jsonb, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.stream_of_id(config jsonb, stream_id text) RETURNS TABLE(system_name text, stream_name text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select coalesce($1 ->> ('streams.' || $2 || '.samza.system'), $1 ->> 'job.default.system'),
    coalesce($1 ->> ('streams.' || $2 || '.samza.physical.name'), $2)
$_$;

--
-- Name: task_commit(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_commit(log_id integer) RETURNS TABLE(task_name text, commit_time timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select c.message_key, max(c.record_time)
  from (
    select k.message_key, k.grouper_factory, h.record_time, first_value(k.grouper_factory) over (order by h.log_offset desc) as newest_grouper
    from projection.event_key k
    cross join lateral (
      select e.layout_id, e.record_time, e.log_offset from projection.checkpoint_event e
      where e.log_id = k.log_id and e.key_id = k.key_id order by e.log_offset desc limit 1) h
    where k.log_id = $1 and k.message_type in ('checkpoint', 'checkpoint-v2', 'set-checkpoint') and not k.is_other and h.layout_id is not null) c
  where c.grouper_factory is not distinct from c.newest_grouper
  group by c.message_key
$_$;

--
-- Name: task_container_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_container_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.task_container
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.container_id, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.task_container_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: task_container_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_container_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.task_container
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'container_id', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-task-container-assignment', $3) m
$_$;

--
-- Name: task_container_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_container_now(log_id integer) RETURNS SETOF projection.task_container
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.task_container_at($1, null, null) r
        $_$;

--
-- Name: task_container_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_container_state(log_id integer, cut bigint) RETURNS SETOF projection.task_container
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.task_container c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.task_container_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: task_input(integer, bigint, integer, bigint, text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_input(coordinator_log integer, coordinator_cut bigint, checkpoint_log integer, checkpoint_cut bigint, only_task text) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, assigned_by text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select t.task_name, t.system_name, t.stream_name, t.partition_id, t.key_bucket, 'assignment' from projection.task_partition_state($1, $2) t
  where ($5 is null or t.task_name = $5)
    and t.task_name not in (select m.task_name from projection.task_mode_state($1, $2) m where m.task_mode = 'Standby')
  union all
  select k.task_name, k.system_name, k.stream_name, k.partition_id, k.key_bucket, 'checkpoint' from projection.checkpointed_input($1, $2, $3, $4, $5) k
  where not projection.is_assigned($1, $2)
$_$;

--
-- Name: task_mode_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_mode_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.task_mode
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.task_name, r.task_mode, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.task_mode_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: task_mode_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_mode_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.task_mode
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'task_mode', m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-task-mode-assignment', $3) m
$_$;

--
-- Name: task_mode_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_mode_now(log_id integer) RETURNS SETOF projection.task_mode
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.task_mode_at($1, null, null) r
        $_$;

--
-- Name: task_mode_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_mode_state(log_id integer, cut bigint) RETURNS SETOF projection.task_mode
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.task_mode c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.task_mode_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: task_partition_as_read(integer[], bigint[], timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_partition_as_read(log_ids integer[], next_offsets bigint[], at timestamp with time zone) RETURNS SETOF coordinator.task_partition
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
        select j.job_name, j.job_id, j.job_bucket, r.system_name, r.stream_name, r.partition_id, r.key_bucket, r.task_name, r.record_time, r.message_time, r.source, r.host, r.username, l.stream_kind, l.incarnation, r.log_offset
        from projection.receipt_job($1, $2, $3) j
        cross join lateral projection.task_partition_at(j.coordinator_log, j.coordinator_cut, null) r
        join projection.job_log l on l.log_id = r.log_id
        where j.coordinator_log is not null
      $_$;

--
-- Name: task_partition_at(integer, bigint, integer[]); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_partition_at(log_id integer, cut bigint, keys integer[]) RETURNS SETOF projection.task_partition
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, t.n::integer, m.partition_id, m.key_bucket,
    m.system_name, m.stream_name, t.task_name, m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-task-partition-assignment', $3) m
  cross join lateral jsonb_array_elements_text(m.body -> 'task_names') with ordinality t(task_name, n)
$_$;

--
-- Name: task_partition_now(integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_partition_now(log_id integer) RETURNS SETOF projection.task_partition
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select r.* from projection.task_partition_at($1, null, null) r
        $_$;

--
-- Name: task_partition_state(integer, bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_partition_state(log_id integer, cut bigint) RETURNS SETOF projection.task_partition
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
          select c.* from projection.task_partition c where $2 is null and c.log_id = $1
          union all
          select a.* from projection.task_partition_at($1, $2, null) a where $2 is not null
        $_$;

--
-- Name: task_position(integer, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_position(coordinator_log integer, checkpoint_log integer) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, input_offset text, next_offset bigint, record_time timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with config as (
    select coalesce(jsonb_object_agg(c.config_key, c.config_value), '{}'::jsonb) as conf
    from projection.config c
    where c.log_id = $1 and (c.config_key in ('task.inputs', 'task.broadcast.inputs', 'job.default.system') or c.config_key like 'streams.%')
  ), input as (
    select i.system_name, i.stream_name from config cross join lateral projection.job_input(config.conf) i
  )
  select t.task_name, t.system_name, t.stream_name, t.partition_id, t.key_bucket, c.input_offset, projection.next_offset(c.input_offset_number), c.record_time
  from projection.task_input($1, null, $2, null, null) t
  left join projection.checkpoint_state($1, null, $2, null) c
    on (c.task_name, c.system_name, c.stream_name, c.partition_id, c.key_bucket) = (t.task_name, t.system_name, t.stream_name, t.partition_id, t.key_bucket)
  where (t.system_name, t.stream_name) in (select i.system_name, i.stream_name from input i)
    or not exists (select from config where config.conf ?| array['task.inputs', 'task.broadcast.inputs'])
$_$;

--
-- Name: task_progress(integer, integer); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.task_progress(coordinator_log integer, checkpoint_log integer) RETURNS TABLE(task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer, input_offset text, next_offset bigint, record_time timestamp with time zone, earlier_next bigint, earlier_time timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  with earlier as materialized (                   -- computed once: joined directly, the planner computes it for each partition
    select c.* from projection.log_cut($1, now() - interval '10 minutes') x
    left join lateral projection.log_cut($2, now() - interval '10 minutes') y on true
    cross join lateral projection.checkpoint_state($1, x.cut, $2, y.cut) c
  )
  select p.*, projection.next_offset(e.input_offset_number), e.record_time
  from projection.task_position($1, $2) p
  left join earlier e
    on (e.task_name, e.system_name, e.stream_name, e.partition_id, e.key_bucket) = (p.task_name, p.system_name, p.stream_name, p.partition_id, p.key_bucket)
$_$;

--
-- Name: time_text(timestamp with time zone); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.time_text(at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  select coalesce(to_char($1 at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC', 'an unknown time')
$_$;

--
-- Name: to_time(bigint); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.to_time(ms bigint) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case when $1 between -210866803200000 and 9224318015999999
              then timestamptz '2000-01-01 00:00:00+00' + (($1 - 946684800000) / 86400000) * interval '24 hours'
                     + (($1 - 946684800000) % 86400000) * interval '1 millisecond' end
$_$;

--
-- Name: trimmed(text); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.trimmed(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select btrim($1, E' \t\n\x0b\f\r')
$_$;

--
-- Name: writable_since(); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.writable_since() RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select pg_postmaster_start_time()
$$;

--
-- Name: write_once_default(); Type: FUNCTION; Schema: projection; Owner: -
--

CREATE FUNCTION projection.write_once_default() RETURNS TABLE(config_key text, config_value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  values ('job.elasticity.factor', '1'),
         ('job.system.stream.partition.mapper.factory', 'org.apache.samza.container.grouper.stream.HashSystemStreamPartitionMapperFactory'),
         ('job.systemstreampartition.grouper.factory', 'org.apache.samza.container.grouper.stream.GroupByPartitionFactory'),
         ('task.name.grouper.factory', 'org.apache.samza.container.grouper.task.GroupByContainerCountFactory')
$$;

--
-- Name: message_history; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.message_history AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    k.message_type,
    k.message_key,
    k.system_name,
    k.stream_name,
    k.partition_id,
    k.key_bucket,
    (k.is_sensitive OR COALESCE(((e.body ->> 'is_sensitive'::text))::boolean, false)) AS is_sensitive,
    e.body,
        CASE
            WHEN (e.body IS NULL) THEN 'delete'::text
            ELSE 'set'::text
        END AS operation,
    e.record_time,
    e.message_time,
    e.source,
    e.host,
    e.username,
    j.stream_kind,
    j.incarnation,
    e.log_offset
   FROM ((projection.job_log j
     JOIN projection.message_event e ON ((e.log_id = j.log_id)))
     JOIN projection.event_key k ON (((k.log_id = e.log_id) AND (k.key_id = e.key_id))))
  WHERE (NOT k.is_other);

--
-- Name: changelog_mapping_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.changelog_mapping_history AS
 SELECT job_name,
    job_id,
    job_bucket,
    message_key AS task_name,
    ((body ->> 'changelog_partition'::text))::integer AS changelog_partition,
    operation,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.message_history m
  WHERE (message_type = 'set-changelog'::text);

--
-- Name: VIEW changelog_mapping_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.changelog_mapping_history IS 'Every event that assigned a changelog partition to a task or deleted the assignment.
Key: job_name, job_id, stream_kind, incarnation, log_offset, task_name.';

--
-- Name: COLUMN changelog_mapping_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN changelog_mapping_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN changelog_mapping_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN changelog_mapping_history.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.task_name IS 'The task.';

--
-- Name: COLUMN changelog_mapping_history.changelog_partition; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.changelog_partition IS 'The partition number, the same in every changelog of the job. Null: the event deletes the assignment.';

--
-- Name: COLUMN changelog_mapping_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN changelog_mapping_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN changelog_mapping_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN changelog_mapping_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN changelog_mapping_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN changelog_mapping_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN changelog_mapping_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN changelog_mapping_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN changelog_mapping_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.changelog_mapping_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: config_change; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.config_change AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    k.message_key AS config_key,
    p.previous_value,
    v.config_value,
        CASE
            WHEN (v.config_value IS NULL) THEN 'delete'::text
            ELSE 'set'::text
        END AS operation,
    e.record_time,
    e.message_time,
    e.source,
    e.host,
    e.username,
    j.stream_kind,
    j.incarnation,
    e.log_offset
   FROM (((((projection.job_log j
     JOIN projection.event_key k ON (((k.log_id = j.log_id) AND (k.message_type = 'set-config'::text) AND (NOT k.is_other))))
     JOIN projection.message_event e ON (((e.log_id = k.log_id) AND (e.key_id = k.key_id))))
     CROSS JOIN LATERAL ( SELECT (array_agg(b_1.config_value ORDER BY b_1.log_offset DESC))[1] AS previous_value,
            (array_agg(b_1.config_value ORDER BY b_1.log_offset DESC) FILTER (WHERE (s.key_id <> e.key_id)))[1] AS uncovered_value
           FROM (projection.event_key s
             CROSS JOIN LATERAL ( SELECT h.log_offset,
                    (h.body ->> 'config_value'::text) AS config_value
                   FROM projection.message_event h
                  WHERE ((h.log_id = s.log_id) AND (h.key_id = s.key_id) AND (h.log_offset < e.log_offset))
                  ORDER BY h.log_offset DESC
                 LIMIT 1) b_1)
          WHERE ((s.log_id = k.log_id) AND (s.message_type = 'set-config'::text) AND (NOT s.is_other) AND ("left"(s.message_key, 100) = "left"(k.message_key, 100)) AND (s.message_key = k.message_key) AND (b_1.config_value IS NOT NULL))) p)
     CROSS JOIN LATERAL projection.base_end(j.log_id) b(last_offset))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (e.body IS NULL) THEN p.uncovered_value
                    ELSE (e.body ->> 'config_value'::text)
                END AS config_value) v)
  WHERE ((v.config_value IS DISTINCT FROM p.previous_value) AND (e.log_offset > b.last_offset));

--
-- Name: VIEW config_change; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.config_change IS 'Config events that changed a value. A deployment writes every key again; events that repeat a value are left out, and so are deletes of a key that was not set. Secrets are compared, and shown, as fingerprints. A new incarnation of a log begins with no value set. After a retention: only events beyond the horizon.
Key: job_name, job_id, stream_kind, incarnation, log_offset, config_key.';

--
-- Name: COLUMN config_change.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN config_change.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN config_change.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN config_change.config_key; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.config_key IS 'The config key, or its fingerprint if the key itself contains a secret.';

--
-- Name: COLUMN config_change.previous_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.previous_value IS 'The value before this event. Null: the key was not set.';

--
-- Name: COLUMN config_change.config_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.config_value IS 'The value after this event. Null: the key is no longer set.';

--
-- Name: COLUMN config_change.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.operation IS '`set` if the key has a value after this event, else `delete`.';

--
-- Name: COLUMN config_change.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN config_change.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN config_change.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN config_change.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN config_change.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN config_change.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN config_change.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN config_change.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_change.log_offset IS 'The offset of the event in its log.';

--
-- Name: config_deployment; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.config_deployment AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    d.deployment_number,
    d.source,
    d.host,
    d.username,
    d.first_record_time,
    d.last_record_time,
    d.first_log_offset,
    d.last_log_offset,
    d.keys_set,
    d.keys_changed,
    d.keys_deleted,
    d.run_number,
    d.incarnation
   FROM (( SELECT DISTINCT l.job_name,
            l.job_id,
            l.job_bucket
           FROM projection.job_log l
          WHERE (l.stream_kind = 'coordinator'::text)) j
     CROSS JOIN LATERAL ( SELECT (row_number() OVER own)::integer AS deployment_number,
            b.source,
            b.host,
            b.username,
            b.first_record_time,
            b.last_record_time,
            b.first_log_offset,
            b.last_log_offset,
            b.keys_set,
            b.keys_changed,
            b.keys_deleted,
            (count(*) FILTER (WHERE (b.source = 'job-runner'::text)) OVER own)::integer AS run_number,
            b.incarnation
           FROM ( SELECT l.incarnation,
                    e.deployment,
                    max(e.source) FILTER (WHERE (e.operation = 'set'::text)) AS source,
                    max(e.host) FILTER (WHERE (e.operation = 'set'::text)) AS host,
                    max(e.username) FILTER (WHERE (e.operation = 'set'::text)) AS username,
                    min(e.record_time) AS first_record_time,
                    max(e.record_time) AS last_record_time,
                    min(e.log_offset) AS first_log_offset,
                    max(e.log_offset) AS last_log_offset,
                    (count(DISTINCT e.message_key) FILTER (WHERE (e.operation = 'set'::text)))::integer AS keys_set,
                    (count(DISTINCT e.message_key) FILTER (WHERE (c.body IS NOT NULL)))::integer AS keys_changed,
                    (count(DISTINCT e.message_key) FILTER (WHERE ((c.log_offset IS NOT NULL) AND (c.body IS NULL))))::integer AS keys_deleted
                   FROM (((projection.job_log l
                     CROSS JOIN LATERAL projection.log_shown(l.log_id) s(since, until, after_offset, last_offset))
                     CROSS JOIN LATERAL projection.config_deployment_event(l.log_id) e(deployment, message_key, operation, record_time, source, host, username, log_offset))
                     LEFT JOIN LATERAL projection.message_change(l.log_id, 'set-config'::text, message_key => NULL::text) c(message_key, system_name, stream_name, partition_id, key_bucket, is_sensitive, previous_body, previous_offset, body, log_offset, next_body, next_offset, record_time, message_time, source, host, username) USING (message_key, log_offset))
                  WHERE ((l.job_name = j.job_name) AND (l.job_id = j.job_id) AND (l.stream_kind = 'coordinator'::text))
                  GROUP BY l.incarnation, e.deployment, s.after_offset, s.last_offset
                 HAVING COALESCE(((min(e.log_offset) > s.after_offset) AND (min(e.log_offset) <= s.last_offset)), true)) b
          WINDOW own AS (ORDER BY b.incarnation, b.first_log_offset)) d);

--
-- Name: VIEW config_deployment; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.config_deployment IS 'Bursts of config events by one writer: a start of the job writes all keys, then deletes those that are gone. A deployment ends where another writer writes config, where a key is set a second time, and where no config event follows within a minute. A deployment is not atomic: as of an offset or a time in its middle, `config` has the new keys and the ones to be deleted. After a retention: only events beyond the horizon, numbered from 1.
Key: job_name, job_id, deployment_number.';

--
-- Name: COLUMN config_deployment.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN config_deployment.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN config_deployment.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN config_deployment.deployment_number; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.deployment_number IS '1, 2, …: in the order of the log, over all of its incarnations; what an incarnation repeats of the one before counts once.';

--
-- Name: COLUMN config_deployment.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.source IS 'The program that wrote the keys. Null: the deployment has only deletes, which do not tell a writer, or its messages do not name one.';

--
-- Name: COLUMN config_deployment.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.host IS 'The host of the writer. Null: the deployment has only deletes, or its messages do not name a host.';

--
-- Name: COLUMN config_deployment.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.username IS 'The user of the writer. Null: the deployment has only deletes, or its messages do not name a user.';

--
-- Name: COLUMN config_deployment.first_record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.first_record_time IS 'The earliest record time of the deployment''s events. Null: timestamptz cannot represent any of them.';

--
-- Name: COLUMN config_deployment.last_record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.last_record_time IS 'The latest record time of the deployment''s events. Null: timestamptz cannot represent any of them.';

--
-- Name: COLUMN config_deployment.first_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.first_log_offset IS 'The offset of the first event of the deployment. Events of other types can stand between it and the last.';

--
-- Name: COLUMN config_deployment.last_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.last_log_offset IS 'The offset of the last event of the deployment.';

--
-- Name: COLUMN config_deployment.keys_set; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.keys_set IS 'Number of keys that the deployment wrote, also those with an unchanged value.';

--
-- Name: COLUMN config_deployment.keys_changed; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.keys_changed IS 'Number of keys that the deployment added or gave another value.';

--
-- Name: COLUMN config_deployment.keys_deleted; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.keys_deleted IS 'Number of keys that were set and that the deployment deleted.';

--
-- Name: COLUMN config_deployment.run_number; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.run_number IS 'The number of the job''s start that the deployment belongs to: the number of deployments by `job-runner`, which writes all keys at each start, up to this one. 0: before the first start.';

--
-- Name: COLUMN config_deployment.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_deployment.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: config_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.config_history AS
 SELECT job_name,
    job_id,
    job_bucket,
    message_key AS config_key,
    (body ->> 'config_value'::text) AS config_value,
    is_sensitive,
    operation,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.message_history m
  WHERE (message_type = 'set-config'::text);

--
-- Name: VIEW config_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.config_history IS 'Every event that set or deleted a config key, also if the value stayed the same: each deployment writes all keys again.
Key: job_name, job_id, stream_kind, incarnation, log_offset, config_key.';

--
-- Name: COLUMN config_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN config_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN config_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN config_history.config_key; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.config_key IS 'The config key, or its fingerprint if the key itself contains a secret.';

--
-- Name: COLUMN config_history.config_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.config_value IS 'The value, or its fingerprint (`hmac-sha256:…`) if it is a secret. Null: the event deletes the key.';

--
-- Name: COLUMN config_history.is_sensitive; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.is_sensitive IS 'Whether the value is a secret, by its key or by its text, so that only its fingerprint is shown.';

--
-- Name: COLUMN config_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN config_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN config_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN config_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN config_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN config_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN config_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN config_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN config_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: config_validity; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.config_validity AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    t.message_key AS config_key,
    (t.body ->> 'config_value'::text) AS config_value,
    (t.is_sensitive OR COALESCE(((t.body ->> 'is_sensitive'::text))::boolean, false)) AS is_sensitive,
    t.valid_from,
    t.valid_to,
    t.log_offset AS from_log_offset,
    t.next_offset AS to_log_offset,
    j.incarnation
   FROM (((projection.job_log j
     CROSS JOIN LATERAL projection.log_shown(j.log_id) s(since, until, after_offset, last_offset))
     CROSS JOIN LATERAL projection.base_end(j.log_id) b(last_offset))
     CROSS JOIN LATERAL projection.message_validity(j.log_id, 'set-config'::text, s.since, s.until) t(message_key, is_sensitive, body, valid_from, valid_to, log_offset, next_offset))
  WHERE ((j.stream_kind = 'coordinator'::text) AND COALESCE((t.next_offset > b.last_offset), true));

--
-- Name: VIEW config_validity; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.config_validity IS 'Every value that a config key had, and the time for which it was valid: one row per value, however often deployments wrote it again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are those of config_as_of at T. After a retention, a value that was valid at the horizon begins with its newest event before it. Filters on the job and on the key use indexes.
Key: job_name, job_id, config_key, config_value, is_sensitive, incarnation, from_log_offset.';

--
-- Name: COLUMN config_validity.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN config_validity.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN config_validity.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN config_validity.config_key; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.config_key IS 'The config key, or its fingerprint if the key itself contains a secret.';

--
-- Name: COLUMN config_validity.config_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.config_value IS 'The value, or its fingerprint (`hmac-sha256:…`) if it is a secret.';

--
-- Name: COLUMN config_validity.is_sensitive; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.is_sensitive IS 'Whether the value is a secret, by its key or by its text, so that only its fingerprint is shown.';

--
-- Name: COLUMN config_validity.valid_from; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.valid_from IS 'Start of the validity (inclusive): the log_time of the event that set the value, or when the incarnation began to be shown.';

--
-- Name: COLUMN config_validity.valid_to; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.valid_to IS 'End of the validity (exclusive): the log_time of the event that ended it, or when another incarnation began to be shown. Null: still valid.';

--
-- Name: COLUMN config_validity.from_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.from_log_offset IS 'The event that set the value.';

--
-- Name: COLUMN config_validity.to_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.to_log_offset IS 'The event that ended the validity: another value, or a delete. Null: no event of this log did.';

--
-- Name: COLUMN config_validity.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.config_validity.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: container_execution_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.container_execution_history AS
 SELECT job_name,
    job_id,
    job_bucket,
    message_key AS container_id,
    (body ->> 'execution_container_id'::text) AS execution_container_id,
    operation,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.message_history m
  WHERE (message_type = 'set-execution-env-container-id-mapping'::text);

--
-- Name: VIEW container_execution_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.container_execution_history IS 'Every event that set or deleted the id that the cluster gave to a container.
Key: job_name, job_id, stream_kind, incarnation, log_offset, container_id.';

--
-- Name: COLUMN container_execution_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN container_execution_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN container_execution_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN container_execution_history.container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.container_id IS 'The container, as the job numbers it.';

--
-- Name: COLUMN container_execution_history.execution_container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.execution_container_id IS 'The id that the cluster gave to the container, for example container_1700000000001_0042_01_000002. Null: the event deletes the container''s id.';

--
-- Name: COLUMN container_execution_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN container_execution_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN container_execution_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN container_execution_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN container_execution_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN container_execution_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN container_execution_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN container_execution_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN container_execution_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_execution_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: container_host_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.container_host_history AS
 SELECT job_name,
    job_id,
    job_bucket,
    message_key AS container_id,
    (body ->> 'host_name'::text) AS host_name,
    (body ->> 'jmx_url'::text) AS jmx_url,
    (body ->> 'jmx_tunneling_url'::text) AS jmx_tunneling_url,
    operation,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.message_history m
  WHERE (message_type = 'set-container-host-assignment'::text);

--
-- Name: VIEW container_host_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.container_host_history IS 'Every event that set or deleted the host of a container.
Key: job_name, job_id, stream_kind, incarnation, log_offset, container_id.';

--
-- Name: COLUMN container_host_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN container_host_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN container_host_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN container_host_history.container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.container_id IS 'The container, as the job numbers it.';

--
-- Name: COLUMN container_host_history.host_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.host_name IS 'The host that the container runs on. The host of the message''s writer is in the column host. Null: the event deletes the row.';

--
-- Name: COLUMN container_host_history.jmx_url; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.jmx_url IS 'The URL of the container''s JMX server; empty if it has none. Null: the message has none, or the event deletes the row.';

--
-- Name: COLUMN container_host_history.jmx_tunneling_url; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.jmx_tunneling_url IS 'The URL of the container''s JMX server through a tunnel; empty if it has none. Null: the message has none, or the event deletes the row.';

--
-- Name: COLUMN container_host_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN container_host_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN container_host_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN container_host_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN container_host_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.host IS 'The host of the message''s writer, from its envelope, as source and username are. The container''s host is in host_name. Null: there is no envelope, or it has no host.';

--
-- Name: COLUMN container_host_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN container_host_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN container_host_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN container_host_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: container_host_validity; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.container_host_validity AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    t.message_key AS container_id,
    (t.body ->> 'host_name'::text) AS host_name,
    (t.body ->> 'jmx_url'::text) AS jmx_url,
    (t.body ->> 'jmx_tunneling_url'::text) AS jmx_tunneling_url,
    t.valid_from,
    t.valid_to,
    t.log_offset AS from_log_offset,
    t.next_offset AS to_log_offset,
    j.incarnation
   FROM (((projection.job_log j
     CROSS JOIN LATERAL projection.log_shown(j.log_id) s(since, until, after_offset, last_offset))
     CROSS JOIN LATERAL projection.base_end(j.log_id) b(last_offset))
     CROSS JOIN LATERAL projection.message_validity(j.log_id, 'set-container-host-assignment'::text, s.since, s.until) t(message_key, is_sensitive, body, valid_from, valid_to, log_offset, next_offset))
  WHERE ((j.stream_kind = 'coordinator'::text) AND COALESCE((t.next_offset > b.last_offset), true));

--
-- Name: VIEW container_host_validity; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.container_host_validity IS 'On which host a container ran, and when: one row per host and JMX address, however often they were written again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are those of container_host_as_of at T. Filters on the job and on the container use indexes.
Key: job_name, job_id, container_id, host_name, jmx_url, jmx_tunneling_url, incarnation, from_log_offset.';

--
-- Name: COLUMN container_host_validity.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN container_host_validity.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN container_host_validity.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN container_host_validity.container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.container_id IS 'The id of the container within the job.';

--
-- Name: COLUMN container_host_validity.host_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.host_name IS 'The host that the container ran on.';

--
-- Name: COLUMN container_host_validity.jmx_url; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.jmx_url IS 'The URL of the container''s JMX server. Null: the message has none.';

--
-- Name: COLUMN container_host_validity.jmx_tunneling_url; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.jmx_tunneling_url IS 'The URL of the container''s JMX server through a tunnel. Null: the message has none.';

--
-- Name: COLUMN container_host_validity.valid_from; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.valid_from IS 'Start of the validity (inclusive): the log_time of the event that set the value, or when the incarnation began to be shown.';

--
-- Name: COLUMN container_host_validity.valid_to; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.valid_to IS 'End of the validity (exclusive): the log_time of the event that ended it, or when another incarnation began to be shown. Null: still valid.';

--
-- Name: COLUMN container_host_validity.from_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.from_log_offset IS 'The event that set the value.';

--
-- Name: COLUMN container_host_validity.to_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.to_log_offset IS 'The event that ended the validity: another value, or a delete. Null: no event of this log did.';

--
-- Name: COLUMN container_host_validity.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.container_host_validity.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

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
-- Name: observed_input; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.observed_input AS
 SELECT job_suffix,
    system_name,
    stream_name,
    partition_id,
    oldest_offset,
    end_offset,
    end_record_time,
    observed_at
   FROM eventlog.input_bound b;

--
-- Name: input_bound; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.input_bound AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    b.system_name,
    b.stream_name,
    b.partition_id,
    b.oldest_offset,
    b.end_offset,
    b.end_record_time,
    b.observed_at
   FROM (projection.current_job j
     JOIN projection.observed_input b ON ((b.job_suffix = j.job_suffix)));

--
-- Name: VIEW input_bound; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.input_bound IS 'How far the inputs of the jobs reached, as observed by `coordstream follow --input-bounds` and `coordstream lag`: one row per partition and observation. Observations are kept for a week.
Key: job_name, job_id, system_name, stream_name, partition_id, observed_at.';

--
-- Name: COLUMN input_bound.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN input_bound.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN input_bound.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN input_bound.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.system_name IS 'The system of the partition.';

--
-- Name: COLUMN input_bound.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN input_bound.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN input_bound.oldest_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.oldest_offset IS 'The first offset that can be read. Null: unknown, because the input could not be asked, or it is not Kafka.';

--
-- Name: COLUMN input_bound.end_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.end_offset IS 'The offset after the last record. Null: unknown, as oldest_offset.';

--
-- Name: COLUMN input_bound.end_record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.end_record_time IS 'The newest record time in the partition. Null: unknown, as oldest_offset, or the partition is empty, or its broker is older than Kafka 3.0, or timestamptz cannot represent the time.';

--
-- Name: COLUMN input_bound.observed_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.input_bound.observed_at IS 'When the input was asked.';

--
-- Name: archived_event; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.archived_event AS
 SELECT log_id,
    log_offset,
    record_time,
    archived_at,
    sha256(key) AS key_sha256,
    octet_length(value) AS value_bytes,
    (value IS NULL) AS is_tombstone
   FROM eventlog.event e;

--
-- Name: job; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.job AS
 SELECT job_name,
    job_id,
    job_bucket,
    ( SELECT l.stream_name
           FROM projection.job_log l
          WHERE (l.log_id = j.coordinator_log)) AS coordinator_stream,
    ( SELECT l.stream_name
           FROM projection.job_log l
          WHERE (l.log_id = j.checkpoint_log)) AS checkpoint_stream,
    ( SELECT count(*) AS count
           FROM projection.config c
          WHERE (c.log_id = j.coordinator_log)) AS config_count,
    ( SELECT count(*) AS count
           FROM projection.job_task(j.coordinator_log, j.checkpoint_log) job_task(task_name, is_standby, assigned_at, commit_time)) AS task_count,
    ( SELECT count(DISTINCT t.container_id) AS count
           FROM projection.task_container t
          WHERE (t.log_id = j.coordinator_log)) AS container_count,
    ( SELECT min(e.record_time) AS min
           FROM (projection.job_log l
             CROSS JOIN LATERAL ( SELECT a.record_time
                   FROM projection.archived_event a
                  WHERE (a.log_id = l.log_id)
                  ORDER BY a.log_offset
                 LIMIT 1) e)
          WHERE (l.log_id = ANY (ARRAY[j.coordinator_log, j.checkpoint_log]))) AS first_record_time,
    ( SELECT max(e.record_time) AS max
           FROM (projection.job_log l
             CROSS JOIN LATERAL ( SELECT a.record_time
                   FROM projection.archived_event a
                  WHERE (a.log_id = l.log_id)
                  ORDER BY a.log_offset DESC
                 LIMIT 1) e)
          WHERE (l.log_id = ANY (ARRAY[j.coordinator_log, j.checkpoint_log]))) AS last_record_time
   FROM projection.current_job j;

--
-- Name: VIEW job; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.job IS 'Each job with its two logs and a summary of its current state.
Key: job_name, job_id.';

--
-- Name: COLUMN job.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN job.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN job.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN job.coordinator_stream; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.coordinator_stream IS 'The stream of the current coordinator log. Null: none has been read yet.';

--
-- Name: COLUMN job.checkpoint_stream; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.checkpoint_stream IS 'The stream of the current checkpoint log. Null: none has been read yet, or the job has none.';

--
-- Name: COLUMN job.config_count; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.config_count IS 'The number of config keys that are set.';

--
-- Name: COLUMN job.task_count; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.task_count IS 'The number of tasks that exist: those assigned to containers; if none is, those assigned to partitions; else those with a checkpoint of the grouper that the job uses.';

--
-- Name: COLUMN job.container_count; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.container_count IS 'The number of containers that have tasks.';

--
-- Name: COLUMN job.first_record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.first_record_time IS 'Time of the first event in the archive of the two logs. Null: there is no event, or timestamptz cannot represent the time.';

--
-- Name: COLUMN job.last_record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job.last_record_time IS 'Time of the newest event of the two logs. Null: there is no event, or timestamptz cannot represent the time.';

--
-- Name: job_coordinator_metadata_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.job_coordinator_metadata_history AS
 SELECT job_name,
    job_id,
    job_bucket,
    message_key AS cluster_type,
    (body ->> 'epoch_id'::text) AS epoch_id,
    (body ->> 'config_id'::text) AS config_id,
    (body ->> 'job_model_id'::text) AS job_model_id,
    operation,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.message_history m
  WHERE (message_type = 'set-job-coordinator-metadata'::text);

--
-- Name: VIEW job_coordinator_metadata_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.job_coordinator_metadata_history IS 'Every event that set or deleted the metadata of a job coordinator. A coordinator writes it only if it differs from what is there.
Key: job_name, job_id, stream_kind, incarnation, log_offset, cluster_type.';

--
-- Name: COLUMN job_coordinator_metadata_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN job_coordinator_metadata_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN job_coordinator_metadata_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN job_coordinator_metadata_history.cluster_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.cluster_type IS 'The type of cluster that the coordinator runs on: YARN or NON_YARN.';

--
-- Name: COLUMN job_coordinator_metadata_history.epoch_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.epoch_id IS 'The deployment; on YARN the application id, which all attempts share. Null: the message has none, or the event deletes it.';

--
-- Name: COLUMN job_coordinator_metadata_history.config_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.config_id IS 'A checksum of the config keys that begin with job.autosizing and their values; 0 if there are none. Null: the message has none, or the event deletes it.';

--
-- Name: COLUMN job_coordinator_metadata_history.job_model_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.job_model_id IS 'A checksum of the containers with their tasks and partitions. Null: the message has none, or the event deletes it.';

--
-- Name: COLUMN job_coordinator_metadata_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN job_coordinator_metadata_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN job_coordinator_metadata_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN job_coordinator_metadata_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN job_coordinator_metadata_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN job_coordinator_metadata_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN job_coordinator_metadata_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN job_coordinator_metadata_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN job_coordinator_metadata_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.job_coordinator_metadata_history.log_offset IS 'The offset of the event in its log.';

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
-- Name: log_gap; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.log_gap AS
 SELECT j.log_id,
    g.first_offset,
    g.last_offset,
    g.reason
   FROM ((projection.job_log j
     LEFT JOIN LATERAL ( SELECT h.horizon_offset,
            ( SELECT min(t.log_offset) AS min
                   FROM projection.log_time t
                  WHERE (t.log_id = j.log_id)) AS first_offset
           FROM projection.log_horizon h
          WHERE (h.log_id = j.log_id)) r ON (true))
     CROSS JOIN LATERAL ( SELECT h.first_offset,
            h.last_offset,
            'compacted'::text AS reason
           FROM projection.gap h
          WHERE ((h.log_id = j.log_id) AND ((r.horizon_offset IS NULL) OR (h.first_offset < r.first_offset) OR (h.first_offset > r.horizon_offset)))
        UNION ALL
         SELECT (r.first_offset + 1),
            (r.horizon_offset - 1),
            'retained'::text
          WHERE (r.horizon_offset > (r.first_offset + 1))
        UNION ALL
         SELECT o.from_offset,
            o.to_offset,
                CASE o.kind
                    WHEN 'gap'::text THEN 'compacted'::text
                    ELSE o.kind
                END AS kind
           FROM eventlog.observation o
          WHERE ((o.log_id = j.log_id) AND ((o.kind = ANY (ARRAY['truncated'::text, 'recreated'::text])) OR ((o.kind = 'gap'::text) AND (NOT (EXISTS ( SELECT
                   FROM projection.gap h
                  WHERE ((h.log_id = o.log_id) AND (h.first_offset <= o.to_offset) AND (h.last_offset >= o.from_offset))))))))) g);

--
-- Name: log_gap; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.log_gap AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    j.stream_name,
    j.stream_kind,
    j.incarnation,
    g.first_offset AS first_missing_offset,
    g.last_offset AS last_missing_offset,
    g.reason
   FROM (projection.job_log j
     JOIN projection.log_gap g ON ((g.log_id = j.log_id)));

--
-- Name: VIEW log_gap; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.log_gap IS 'Ranges of offsets that are missing from a log, and why. Events that are `compacted` or `recreated` were never read; those that are `truncated` may be in the archive, in the previous incarnation. Of the range that is `retained`, the archive keeps only what the state at its end needs.
Key: job_name, job_id, stream_name, incarnation, first_missing_offset, reason.';

--
-- Name: COLUMN log_gap.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN log_gap.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN log_gap.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN log_gap.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.stream_name IS 'The stream of the log.';

--
-- Name: COLUMN log_gap.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN log_gap.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN log_gap.first_missing_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.first_missing_offset IS 'The first missing offset.';

--
-- Name: COLUMN log_gap.last_missing_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.last_missing_offset IS 'The last missing offset. Null: the end of the range is unknown.';

--
-- Name: COLUMN log_gap.reason; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_gap.reason IS '`compacted` (Kafka removed the events before they were read, or the offsets never were events), `truncated` (the log was truncated), `recreated` (the topic was deleted and created again) or `retained` (coordstream retention detached the events).';

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
-- Name: log_position; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.log_position AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    j.stream_name,
    j.stream_kind,
    j.incarnation,
    p.next_offset,
    e.end_offset,
        CASE
            WHEN ((e.end_offset IS NOT NULL) AND ((l.backend = 'postgres'::text) OR (NOT projection.is_lost(p.state, p.heartbeat_at, statement_timestamp())))) THEN GREATEST((e.end_offset - p.next_offset), (0)::bigint)
            ELSE NULL::bigint
        END AS lag,
        CASE
            WHEN (t.retired_at IS NULL) THEN p.state
            ELSE 'stopped'::text
        END AS state,
    COALESCE(projection.retired_detail(t.retired_at), p.state_detail) AS state_detail,
    p.heartbeat_at,
    p.fold_version,
    r.horizon_offset,
    r.horizon_time
   FROM ((((((projection."position" p
     JOIN projection.job_log j ON ((j.log_id = p.log_id)))
     LEFT JOIN projection.log_horizon r ON ((r.log_id = p.log_id)))
     JOIN eventlog.log l ON ((l.log_id = p.log_id)))
     LEFT JOIN eventlog.log_head h ON ((h.log_id = p.log_id)))
     LEFT JOIN eventlog.retired_stream t ON ((t.stream_name = j.stream_name)))
     CROSS JOIN LATERAL ( SELECT
                CASE l.backend
                    WHEN 'postgres'::text THEN h.next_offset
                    ELSE p.end_offset
                END AS end_offset) e)
UNION ALL
 SELECT COALESCE(j.job_name, r.job_name) AS job_name,
    COALESCE(j.job_id, r.job_id) AS job_id,
    r.job_bucket,
    r.stream_name,
    r.stream_kind,
    1 AS incarnation,
    0 AS next_offset,
    NULL::bigint AS end_offset,
    NULL::bigint AS lag,
        CASE
            WHEN (t.retired_at IS NOT NULL) THEN 'stopped'::text
            WHEN (r.state_detail = ''::text) THEN 'catching-up'::text
            ELSE 'refused'::text
        END AS state,
    COALESCE(projection.retired_detail(t.retired_at), NULLIF(r.state_detail, ''::text)) AS state_detail,
    r.heartbeat_at,
    NULL::text AS fold_version,
    NULL::bigint AS horizon_offset,
    NULL::timestamp with time zone AS horizon_time
   FROM ((projection.refused_stream r
     LEFT JOIN eventlog.retired_stream t ON ((t.stream_name = r.stream_name)))
     LEFT JOIN LATERAL ( SELECT l.job_name,
            l.job_id
           FROM projection.job_log l
          WHERE (l.job_suffix = r.job_suffix)
         LIMIT 1) j ON (true));

--
-- Name: VIEW log_position; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.log_position IS 'How far each log has been folded into the relations, which show every event below next_offset. One row per incarnation.
Key: job_name, job_id, stream_name, incarnation.';

--
-- Name: COLUMN log_position.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN log_position.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN log_position.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN log_position.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.stream_name IS 'The stream of the log.';

--
-- Name: COLUMN log_position.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN log_position.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN log_position.next_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.next_offset IS 'The next offset to fold.';

--
-- Name: COLUMN log_position.end_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.end_offset IS 'The end of the log when its follower last read it (of a log in Postgres: its end now). Null: no follower has read it.';

--
-- Name: COLUMN log_position.lag; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.lag IS 'The number of offsets from next_offset to the end of the log. Null: unknown.';

--
-- Name: COLUMN log_position.state; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.state IS '`catching-up`, `live`, `replacing` (a new incarnation is being read; the relations show the previous one), `waiting` (its follower waits for the brokers, a lock or the database: see state_detail), `refused` (it cannot be followed as it is; its follower retries) or `stopped`. A retired stream is `stopped`.';

--
-- Name: COLUMN log_position.state_detail; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.state_detail IS 'Why the log is not followed now: why the stream is refused, what its follower waits for, or when it was retired. Null: nothing prevents it.';

--
-- Name: COLUMN log_position.heartbeat_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.heartbeat_at IS 'The last heartbeat of the log''s follower, by the clock of this server. A follower writes one every 5 seconds, and is lost after 30 seconds without one.';

--
-- Name: COLUMN log_position.fold_version; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.fold_version IS 'The version of the code that folded the log, and a digest of the key and the patterns that mask secrets. Null: nothing was folded.';

--
-- Name: COLUMN log_position.horizon_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.horizon_offset IS 'The offset from which as-of functions answer. Null: from the first event on.';

--
-- Name: COLUMN log_position.horizon_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.log_position.horizon_time IS 'The time from which as-of functions answer. Null: from the first event on.';

--
-- Name: other_message; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.other_message AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.message_type,
    r.message_key,
    r.message_value,
    r.record_time,
    r.message_time,
    r.source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (projection.job_log j
     JOIN projection.other_message r ON ((r.log_id = j.log_id)))
  WHERE j.is_current;

--
-- Name: VIEW other_message; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.other_message IS 'Current messages of types that have no relation of their own, as text: container placement, and types that coordstream does not know. Secrets are replaced by fingerprints.
Key: job_name, job_id, message_type, message_key, stream_kind.';

--
-- Name: COLUMN other_message.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN other_message.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN other_message.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN other_message.message_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.message_type IS 'The message type, from the key.';

--
-- Name: COLUMN other_message.message_key; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.message_key IS 'The rest of the key: a config key, a task or a partition; the same text for every spelling of the key.';

--
-- Name: COLUMN other_message.message_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.message_value IS 'The value of the message as text.';

--
-- Name: COLUMN other_message.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN other_message.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN other_message.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN other_message.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN other_message.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN other_message.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN other_message.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN other_message.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.other_message.log_offset IS 'The offset of the event in its log.';

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
-- Name: quarantine; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.quarantine AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    j.stream_name,
    q.reason,
    q.detail,
    q.key_text,
    q.value_bytes,
    q.value_fingerprint,
    (q.resolved_by IS NOT NULL) AS is_resolved,
    q.record_time,
    NULL::timestamp with time zone AS message_time,
    NULL::text AS source,
    NULL::text AS host,
    NULL::text AS username,
    j.stream_kind,
    j.incarnation,
    q.log_offset
   FROM (projection.quarantine q
     JOIN projection.job_log j ON ((j.log_id = q.log_id)));

--
-- Name: VIEW quarantine; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.quarantine IS 'Events that could not be decoded, each with its reason. They change no other relation: the last readable value stays.
Key: job_name, job_id, stream_kind, incarnation, log_offset.';

--
-- Name: COLUMN quarantine.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN quarantine.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN quarantine.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN quarantine.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.stream_name IS 'The stream of the log.';

--
-- Name: COLUMN quarantine.reason; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.reason IS 'A short code: `not_json`, `not_utf8`, `nul`, `surrogate`, `wrong_type`, `missing_field`, `bad_number`, `bad_partition`, `null_key` and others.';

--
-- Name: COLUMN quarantine.detail; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.detail IS 'What is wrong, and where; never a value.';

--
-- Name: COLUMN quarantine.key_text; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.key_text IS 'The key as text, with secrets masked and other bytes escaped. Null: the event has no key.';

--
-- Name: COLUMN quarantine.value_bytes; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.value_bytes IS 'Length of the value in bytes. Null: the event has no value.';

--
-- Name: COLUMN quarantine.value_fingerprint; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.value_fingerprint IS 'Fingerprint of the value (`hmac-sha256:…`): the same for the same bytes. Null: the event has no value.';

--
-- Name: COLUMN quarantine.is_resolved; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.is_resolved IS 'Whether a readable value or a tombstone with the same key came later.';

--
-- Name: COLUMN quarantine.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN quarantine.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN quarantine.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN quarantine.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN quarantine.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN quarantine.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN quarantine.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN quarantine.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.quarantine.log_offset IS 'The offset of the event in its log.';

--
-- Name: rewind; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.rewind AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.task_name,
    r.system_name,
    r.stream_name,
    r.partition_id,
    r.key_bucket,
    r.startpoint_type,
    r.startpoint_value,
    projection.to_time(r.created_ms) AS created_at,
    projection.to_time(r.fanned_out_ms) AS fanned_out_at,
    r.status,
    r.earlier_offset AS previous_offset,
    r.input_offset,
        CASE
            WHEN (n.skipped IS NOT NULL) THEN GREATEST((- n.skipped), (0)::bigint)
            ELSE NULL::bigint
        END AS records_again,
        CASE
            WHEN (n.skipped IS NOT NULL) THEN GREATEST(n.skipped, (0)::bigint)
            ELSE NULL::bigint
        END AS records_skipped,
    r.record_time,
    NULL::timestamp with time zone AS message_time,
    NULL::text AS source,
    r.host,
    r.username,
    j.stream_kind,
    j.incarnation,
    r.log_offset
   FROM (((projection.job_log j
     CROSS JOIN LATERAL projection.startpoint_removed(j.log_id, cut => NULL::bigint) r(task_name, system_name, stream_name, partition_id, key_bucket, startpoint_type, startpoint_value, created_ms, fanned_out_ms, status, input_offset, checkpoint_log_offset, earlier_offset, earlier_log_offset, record_time, host, username, log_offset))
     CROSS JOIN LATERAL projection.base_end(j.log_id) b(last_offset))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN ((r.status = 'consumed'::text) AND (r.startpoint_type = 'specific'::text)) THEN (projection.offset_number(r.startpoint_value) - projection.next_offset(projection.offset_number(r.earlier_offset)))
                    ELSE NULL::bigint
                END AS "case") n(skipped))
  WHERE ((j.stream_kind = 'coordinator'::text) AND COALESCE((r.log_offset > b.last_offset), true));

--
-- Name: VIEW rewind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.rewind IS 'Startpoints that were fanned out to a task and have since left its fan-out: the request, its outcome, and how many records were read again or skipped. Pending startpoints are in startpoint and startpoint_fan_out.
Key: job_name, job_id, stream_kind, incarnation, log_offset, task_name, system_name, stream_name, partition_id, key_bucket.';

--
-- Name: COLUMN rewind.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN rewind.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN rewind.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN rewind.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.task_name IS 'The task.';

--
-- Name: COLUMN rewind.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.system_name IS 'The system of the partition.';

--
-- Name: COLUMN rewind.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN rewind.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN rewind.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN rewind.startpoint_type; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.startpoint_type IS 'oldest, upcoming, specific or timestamp.';

--
-- Name: COLUMN rewind.startpoint_value; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.startpoint_value IS 'The next offset to read, or a time in ms since 1970. Null: oldest and upcoming have none.';

--
-- Name: COLUMN rewind.created_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.created_at IS 'When the startpoint was created, by the clock of its writer. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN rewind.fanned_out_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.fanned_out_at IS 'When the job''s start fanned the startpoint out. Null: timestamptz cannot represent the time.';

--
-- Name: COLUMN rewind.status; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.status IS 'consumed, refused, superseded or deleted, as in startpoint_history.';

--
-- Name: COLUMN rewind.previous_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.previous_offset IS 'The last processed offset of the task''s checkpoint before. Null: it had none of the partition.';

--
-- Name: COLUMN rewind.input_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.input_offset IS 'The last processed offset of the checkpoint with which the startpoint left the fan-out. Null: there is none of the partition.';

--
-- Name: COLUMN rewind.records_again; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.records_again IS 'How many offsets the task went back: it has read their records again, or will. Null: it did not start there, the startpoint is not an offset, or the task had no checkpoint.';

--
-- Name: COLUMN rewind.records_skipped; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.records_skipped IS 'How many offsets the task skipped. Null: as records_again.';

--
-- Name: COLUMN rewind.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN rewind.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.message_time IS 'Startpoints have no envelope. Null: always.';

--
-- Name: COLUMN rewind.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.source IS 'Startpoints have no envelope. Null: always.';

--
-- Name: COLUMN rewind.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.host IS 'The host of the fan-out''s writer, from the headers that coordstream writes. Null: another program wrote the event.';

--
-- Name: COLUMN rewind.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.username IS 'The user who wrote the fan-out, from the headers that coordstream writes. Null: another program wrote the event.';

--
-- Name: COLUMN rewind.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN rewind.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN rewind.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.rewind.log_offset IS 'The offset of the event in its log.';

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
-- Name: spark_read; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.spark_read AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    r.spark_read_id,
    r.relation_name,
    array_to_string(r.column_names, ', '::text) AS column_names,
    r.read_at,
    r.read_by,
    r.application,
    r.as_of,
    r.row_count,
    r.checksum,
    j.stream_name,
    j.stream_kind,
    j.incarnation,
    r.next_offsets[array_position(r.log_ids, j.log_id)] AS next_offset
   FROM (projection.job_log j
     JOIN eventlog.spark_read r ON ((r.log_ids @> ARRAY[j.log_id])));

--
-- Name: VIEW spark_read; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.spark_read IS 'The receipts that reads of Spark left (`leave_receipt=True`): what was read, by whom, and up to which offset of each log. One row per receipt and log. `read_relation(spark, receipt=ID)` reads the same rows again.
Key: job_name, job_id, spark_read_id, stream_name, incarnation.';

--
-- Name: COLUMN spark_read.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN spark_read.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN spark_read.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN spark_read.spark_read_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.spark_read_id IS 'The number of the receipt.';

--
-- Name: COLUMN spark_read.relation_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.relation_name IS 'The relation that was read.';

--
-- Name: COLUMN spark_read.column_names; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.column_names IS 'The columns that were read, with commas between them.';

--
-- Name: COLUMN spark_read.read_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.read_at IS 'When the receipt was left, by the clock of this server.';

--
-- Name: COLUMN spark_read.read_by; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.read_by IS 'The database user who left the receipt, and who vouches for its counts.';

--
-- Name: COLUMN spark_read.application; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.application IS 'The name of the Spark application.';

--
-- Name: COLUMN spark_read.as_of; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.as_of IS 'The time at which expiry was judged: that of the read, or the one that was asked for.';

--
-- Name: COLUMN spark_read.row_count; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.row_count IS 'The number of rows that were read, of all logs.';

--
-- Name: COLUMN spark_read.checksum; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.checksum IS 'The sum of the hashes (xxhash64) of all rows, modulo 2 to the power of 63: equal for equal rows in any order.';

--
-- Name: COLUMN spark_read.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.stream_name IS 'The stream of the log.';

--
-- Name: COLUMN spark_read.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN spark_read.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN spark_read.next_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.spark_read.next_offset IS 'The first offset of the log that the read did not show.';

--
-- Name: task_container_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_container_history AS
 SELECT job_name,
    job_id,
    job_bucket,
    message_key AS task_name,
    (body ->> 'container_id'::text) AS container_id,
    operation,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.message_history m
  WHERE (message_type = 'set-task-container-assignment'::text);

--
-- Name: VIEW task_container_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_container_history IS 'Every event that assigned a task to a container or deleted the assignment.
Key: job_name, job_id, stream_kind, incarnation, log_offset, task_name.';

--
-- Name: COLUMN task_container_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_container_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_container_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_container_history.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.task_name IS 'The task.';

--
-- Name: COLUMN task_container_history.container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.container_id IS 'The container that runs the task. Null: the event deletes the assignment.';

--
-- Name: COLUMN task_container_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN task_container_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN task_container_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN task_container_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN task_container_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_container_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_container_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN task_container_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN task_container_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: task_container_validity; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_container_validity AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    t.message_key AS task_name,
    (t.body ->> 'container_id'::text) AS container_id,
    t.valid_from,
    t.valid_to,
    t.log_offset AS from_log_offset,
    t.next_offset AS to_log_offset,
    j.incarnation
   FROM (((projection.job_log j
     CROSS JOIN LATERAL projection.log_shown(j.log_id) s(since, until, after_offset, last_offset))
     CROSS JOIN LATERAL projection.base_end(j.log_id) b(last_offset))
     CROSS JOIN LATERAL projection.message_validity(j.log_id, 'set-task-container-assignment'::text, s.since, s.until) t(message_key, is_sensitive, body, valid_from, valid_to, log_offset, next_offset))
  WHERE ((j.stream_kind = 'coordinator'::text) AND COALESCE((t.next_offset > b.last_offset), true));

--
-- Name: VIEW task_container_validity; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_container_validity IS 'Which container ran a task, and when: one row per assignment, however often it was written again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are those of task_container_as_of at T. Filters on the job and on the task use indexes.
Key: job_name, job_id, task_name, container_id, incarnation, from_log_offset.';

--
-- Name: COLUMN task_container_validity.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_container_validity.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_container_validity.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_container_validity.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.task_name IS 'The task.';

--
-- Name: COLUMN task_container_validity.container_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.container_id IS 'The id of the container within the job.';

--
-- Name: COLUMN task_container_validity.valid_from; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.valid_from IS 'Start of the validity (inclusive): the log_time of the event that set the value, or when the incarnation began to be shown.';

--
-- Name: COLUMN task_container_validity.valid_to; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.valid_to IS 'End of the validity (exclusive): the log_time of the event that ended it, or when another incarnation began to be shown. Null: still valid.';

--
-- Name: COLUMN task_container_validity.from_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.from_log_offset IS 'The event that set the value.';

--
-- Name: COLUMN task_container_validity.to_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.to_log_offset IS 'The event that ended the validity: another value, or a delete. Null: no event of this log did.';

--
-- Name: COLUMN task_container_validity.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_container_validity.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: task_lag; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_lag AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    p.task_name,
    p.system_name,
    p.stream_name,
    p.partition_id,
    p.key_bucket,
    p.input_offset,
    l.end_offset,
    l.records_behind,
    l.records_lost,
    l.seconds_behind,
    l.is_lower_bound,
    (
        CASE
            WHEN (r.processed < (1)::double precision) THEN ceil(r.processed)
            ELSE round(r.processed)
        END)::bigint AS processed_per_second,
    (
        CASE
            WHEN (r.arriving < (1)::double precision) THEN ceil(r.arriving)
            ELSE round(r.arriving)
        END)::bigint AS arriving_per_second,
    (
        CASE
            WHEN (r.processed IS NOT NULL) THEN LEAST(round((r.processed * (3600)::double precision)), ('9000000000000000000'::numeric)::double precision)
            ELSE NULL::double precision
        END)::bigint AS processed_per_hour,
    (
        CASE
            WHEN (r.arriving IS NOT NULL) THEN LEAST(round((r.arriving * (3600)::double precision)), ('9000000000000000000'::numeric)::double precision)
            ELSE NULL::double precision
        END)::bigint AS arriving_per_hour,
        CASE
            WHEN (l.records_behind = 0) THEN (0)::bigint
            WHEN ((l.records_behind > 0) AND (r.processed > r.arriving)) THEN (LEAST(((l.records_behind)::double precision / (r.processed - r.arriving)), ('1000000000000'::numeric)::double precision))::bigint
            ELSE NULL::bigint
        END AS seconds_to_catch_up,
    l.observed_at,
    l.last_records_behind,
    l.last_known_at
   FROM ((((projection.current_job j
     CROSS JOIN LATERAL projection.task_progress(j.coordinator_log, j.checkpoint_log) p(task_name, system_name, stream_name, partition_id, key_bucket, input_offset, next_offset, record_time, earlier_next, earlier_time))
     CROSS JOIN LATERAL projection.input_lag(j.job_suffix, p.system_name, p.stream_name, p.partition_id, p.next_offset, p.record_time) l(end_offset, records_behind, records_lost, seconds_behind, is_lower_bound, observed_at, last_records_behind, last_known_at))
     LEFT JOIN LATERAL ( SELECT b_1.end_offset,
            b_1.observed_at
           FROM projection.observed_input b_1
          WHERE ((b_1.job_suffix = j.job_suffix) AND (b_1.system_name = p.system_name) AND (b_1.stream_name = p.stream_name) AND (b_1.partition_id = p.partition_id) AND (b_1.observed_at >= (l.observed_at - '00:10:00'::interval)) AND (b_1.end_offset IS NOT NULL))
          ORDER BY b_1.observed_at
         LIMIT 1) b ON (true))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (p.record_time = p.earlier_time) THEN (0)::double precision
                    WHEN ((p.record_time > p.earlier_time) AND (p.next_offset IS NOT NULL) AND (p.earlier_next IS NOT NULL)) THEN LEAST(((GREATEST((p.next_offset - p.earlier_next), (0)::bigint))::double precision / (EXTRACT(epoch FROM projection.time_between(p.earlier_time, p.record_time)))::double precision), ('1000000000000000000'::numeric)::double precision)
                    ELSE NULL::double precision
                END AS "case",
                CASE
                    WHEN ((l.observed_at > b.observed_at) AND (l.end_offset IS NOT NULL)) THEN LEAST(((GREATEST((l.end_offset - b.end_offset), (0)::bigint))::double precision / (EXTRACT(epoch FROM (l.observed_at - b.observed_at)))::double precision), ('1000000000000000000'::numeric)::double precision)
                    ELSE NULL::double precision
                END AS "case") r(processed, arriving));

--
-- Name: VIEW task_lag; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_lag IS 'How far each task is behind its inputs: its checkpoint against the newest observation in input_bound. A partition that has not been observed, or could not be, has null, never 0. Offsets without a record, such as those of transactions or what compaction left, count as records.
Key: job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket.';

--
-- Name: COLUMN task_lag.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_lag.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_lag.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_lag.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.task_name IS 'The task.';

--
-- Name: COLUMN task_lag.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.system_name IS 'The system of the partition.';

--
-- Name: COLUMN task_lag.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN task_lag.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN task_lag.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN task_lag.input_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.input_offset IS 'The last processed offset of the task''s checkpoint. Null: the task has no checkpoint of the partition.';

--
-- Name: COLUMN task_lag.end_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.end_offset IS 'The offset after the last record when the input was observed. Null: unknown.';

--
-- Name: COLUMN task_lag.records_behind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.records_behind IS 'Number of records between the checkpoint and the end that can still be read. Never negative. Null: unknown, because the task has no checkpoint, its offset is not an offset of Kafka, the end is unknown, or the input ended before a checkpoint that was at least five minutes old, because its topic was deleted and created again.';

--
-- Name: COLUMN task_lag.records_lost; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.records_lost IS 'Number of records after the checkpoint that the input has deleted before the task read them. Null: unknown, as records_behind.';

--
-- Name: COLUMN task_lag.seconds_behind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.seconds_behind IS 'How long the next record has waited, as the observations show it. Normally an upper bound: the time from the last observation without that record to the newest one. If all observations have the record, a lower bound: the time from the oldest one to the newest. 0 without is_lower_bound: no record is waiting. Null: unknown, as records_behind.';

--
-- Name: COLUMN task_lag.is_lower_bound; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.is_lower_bound IS 'Whether seconds_behind is a lower bound, because the record is older than all observations. Null: unknown, as records_behind.';

--
-- Name: COLUMN task_lag.processed_per_second; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.processed_per_second IS 'Records per second, rounded (from 0 to 1: up to 1), between the checkpoint of ten minutes ago and the newest, at most 10^18. 0: no checkpoint was written since. Null: there was no checkpoint then, or one of the two offsets is not an offset of Kafka.';

--
-- Name: COLUMN task_lag.arriving_per_second; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.arriving_per_second IS 'Records per second, rounded (from 0 to 1: up to 1), that were added to the partition in the ten minutes before the newest observation, at most 10^18. Null: there is only one observation.';

--
-- Name: COLUMN task_lag.processed_per_hour; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.processed_per_hour IS 'The rate of processed_per_second as records per hour, for slow tasks; at most 9 * 10^18. Null: as processed_per_second.';

--
-- Name: COLUMN task_lag.arriving_per_hour; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.arriving_per_hour IS 'The rate of arriving_per_second as records per hour, for slow inputs; at most 9 * 10^18. Null: as arriving_per_second.';

--
-- Name: COLUMN task_lag.seconds_to_catch_up; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.seconds_to_catch_up IS 'Time until no record is waiting if both rates stay as they are, at most 10^12. Null: unknown, or the task is not faster than its input.';

--
-- Name: COLUMN task_lag.observed_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.observed_at IS 'The time of the newest observation. Null: the partition has not been observed.';

--
-- Name: COLUMN task_lag.last_records_behind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.last_records_behind IS 'records_behind at the newest observation that did not fail: the last known value while the input does not answer. Null: the position or every end is unknown.';

--
-- Name: COLUMN task_lag.last_known_at; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_lag.last_known_at IS 'The time of that observation. Null: no observation has a known end.';

--
-- Name: task_mode_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_mode_history AS
 SELECT job_name,
    job_id,
    job_bucket,
    message_key AS task_name,
    (body ->> 'task_mode'::text) AS task_mode,
    operation,
    record_time,
    message_time,
    source,
    host,
    username,
    stream_kind,
    incarnation,
    log_offset
   FROM projection.message_history m
  WHERE (message_type = 'set-task-mode-assignment'::text);

--
-- Name: VIEW task_mode_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_mode_history IS 'Every event that set or deleted the mode of a task.
Key: job_name, job_id, stream_kind, incarnation, log_offset, task_name.';

--
-- Name: COLUMN task_mode_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_mode_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_mode_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_mode_history.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.task_name IS 'The task.';

--
-- Name: COLUMN task_mode_history.task_mode; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.task_mode IS 'Active or Standby; the name of a standby task is Standby-<task>-<n>. Null: the event deletes the mode.';

--
-- Name: COLUMN task_mode_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN task_mode_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN task_mode_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN task_mode_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN task_mode_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_mode_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_mode_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN task_mode_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN task_mode_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_mode_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: task_partition_history; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_partition_history AS
 SELECT m.job_name,
    m.job_id,
    m.job_bucket,
    m.system_name,
    m.stream_name,
    m.partition_id,
    m.key_bucket,
    t.task_name,
    m.operation,
    m.record_time,
    m.message_time,
    m.source,
    m.host,
    m.username,
    m.stream_kind,
    m.incarnation,
    m.log_offset
   FROM (projection.message_history m
     LEFT JOIN LATERAL jsonb_array_elements_text((m.body -> 'task_names'::text)) t(task_name) ON (true))
  WHERE (m.message_type = 'set-task-partition-assignment'::text);

--
-- Name: VIEW task_partition_history; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_partition_history IS 'Every event that set or deleted the tasks of an input partition: one row per task. Each event replaces all tasks of the partition; a delete or an empty list is one row without a task.
Key: job_name, job_id, stream_kind, incarnation, log_offset, system_name, stream_name, partition_id, key_bucket, task_name.';

--
-- Name: COLUMN task_partition_history.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_partition_history.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_partition_history.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_partition_history.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.system_name IS 'The system of the partition.';

--
-- Name: COLUMN task_partition_history.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN task_partition_history.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN task_partition_history.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN task_partition_history.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.task_name IS 'A task that reads the partition from this event on. Null: the event deletes the tasks of the partition, or their list is empty.';

--
-- Name: COLUMN task_partition_history.operation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.operation IS '`set` or `delete`.';

--
-- Name: COLUMN task_partition_history.record_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.record_time IS 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.';

--
-- Name: COLUMN task_partition_history.message_time; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.message_time IS 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.';

--
-- Name: COLUMN task_partition_history.source; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.source IS 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.';

--
-- Name: COLUMN task_partition_history.host; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.host IS 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_partition_history.username; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.username IS 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.';

--
-- Name: COLUMN task_partition_history.stream_kind; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.stream_kind IS 'Which of the two logs of the job: `coordinator` or `checkpoint`.';

--
-- Name: COLUMN task_partition_history.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

--
-- Name: COLUMN task_partition_history.log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_history.log_offset IS 'The offset of the event in its log.';

--
-- Name: task_partition_validity; Type: VIEW; Schema: coordinator; Owner: -
--

CREATE VIEW coordinator.task_partition_validity AS
 SELECT j.job_name,
    j.job_id,
    j.job_bucket,
    s.system_name,
    s.stream_name,
    s.partition_id,
    s.key_bucket,
    s.task_name,
    v.valid_from,
    v.valid_to,
    s.log_offset AS from_log_offset,
    s.end_offset AS to_log_offset,
    j.incarnation
   FROM ((((projection.job_log j
     CROSS JOIN LATERAL projection.log_shown(j.log_id) r(since, until, after_offset, last_offset))
     CROSS JOIN LATERAL projection.base_end(j.log_id) b(last_offset))
     CROSS JOIN LATERAL ( SELECT e.system_name,
            e.stream_name,
            e.partition_id,
            e.key_bucket,
            e.task_name,
            e.log_offset,
            e.next_offset,
            e.is_first,
            e.is_last,
                CASE
                    WHEN e.is_last THEN e.next_offset
                    ELSE lead(e.next_offset) OVER (PARTITION BY e.system_name, e.stream_name, e.partition_id, e.key_bucket, e.task_name ORDER BY e.log_offset)
                END AS end_offset
           FROM ( SELECT t.system_name,
                    t.stream_name,
                    t.partition_id,
                    t.key_bucket,
                    n.task_name,
                    t.log_offset,
                    t.next_offset,
                    (NOT COALESCE(((t.previous_body -> 'task_names'::text) ? n.task_name), false)) AS is_first,
                    (NOT COALESCE(((t.next_body -> 'task_names'::text) ? n.task_name), false)) AS is_last
                   FROM (projection.message_change(j.log_id, 'set-task-partition-assignment'::text, message_key => NULL::text) t(message_key, system_name, stream_name, partition_id, key_bucket, is_sensitive, previous_body, previous_offset, body, log_offset, next_body, next_offset, record_time, message_time, source, host, username)
                     CROSS JOIN LATERAL jsonb_array_elements_text((t.body -> 'task_names'::text)) n(task_name))) e
          WHERE (e.is_first OR e.is_last)) s)
     CROSS JOIN LATERAL projection.log_validity(j.log_id, s.log_offset, s.end_offset, r.since, r.until) v(valid_from, valid_to))
  WHERE ((j.stream_kind = 'coordinator'::text) AND s.is_first AND COALESCE((s.end_offset > b.last_offset), true));

--
-- Name: VIEW task_partition_validity; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON VIEW coordinator.task_partition_validity IS 'Which task read an input partition, and when: one row per uninterrupted interval, however often the assignment was written again. The rows with valid_from <= T and (valid_to > T or valid_to is null) are those of task_partition_as_of at T. Filters on the job and on the partition use indexes.
Key: job_name, job_id, system_name, stream_name, partition_id, key_bucket, task_name, incarnation, from_log_offset.';

--
-- Name: COLUMN task_partition_validity.job_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.job_name IS 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).';

--
-- Name: COLUMN task_partition_validity.job_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.job_id IS 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.';

--
-- Name: COLUMN task_partition_validity.job_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.job_bucket IS '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.';

--
-- Name: COLUMN task_partition_validity.system_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.system_name IS 'The system of the partition.';

--
-- Name: COLUMN task_partition_validity.stream_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.stream_name IS 'The stream of the partition.';

--
-- Name: COLUMN task_partition_validity.partition_id; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.partition_id IS 'The number of the partition.';

--
-- Name: COLUMN task_partition_validity.key_bucket; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.key_bucket IS 'The part of the partition that the task reads; -1 for the whole partition.';

--
-- Name: COLUMN task_partition_validity.task_name; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.task_name IS 'The task.';

--
-- Name: COLUMN task_partition_validity.valid_from; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.valid_from IS 'Start of the validity (inclusive): the log_time of the event that set the value, or when the incarnation began to be shown.';

--
-- Name: COLUMN task_partition_validity.valid_to; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.valid_to IS 'End of the validity (exclusive): the log_time of the event that ended it, or when another incarnation began to be shown. Null: still valid.';

--
-- Name: COLUMN task_partition_validity.from_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.from_log_offset IS 'The event that set the value.';

--
-- Name: COLUMN task_partition_validity.to_log_offset; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.to_log_offset IS 'The event that ended the validity: another value, or a delete. Null: no event of this log did.';

--
-- Name: COLUMN task_partition_validity.incarnation; Type: COMMENT; Schema: coordinator; Owner: -
--

COMMENT ON COLUMN coordinator.task_partition_validity.incarnation IS 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.';

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
-- Name: archived_log; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.archived_log AS
 SELECT log_id,
    backend,
    cluster_id,
    topic_id
   FROM eventlog.log l;

--
-- Name: changed_past; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.changed_past AS
 SELECT log_id,
    observation_id,
    from_offset
   FROM eventlog.observation o
  WHERE (kind = ANY (ARRAY['truncated'::text, 'recreated'::text]));

--
-- Name: checkpoint_event_from_0; Type: TABLE; Schema: projection; Owner: -
--

CREATE TABLE projection.checkpoint_event_from_0 (
    log_offset bigint CONSTRAINT checkpoint_event_log_offset_not_null NOT NULL,
    record_time timestamp with time zone,
    log_id integer CONSTRAINT checkpoint_event_log_id_not_null NOT NULL,
    key_id integer CONSTRAINT checkpoint_event_key_id_not_null NOT NULL,
    layout_id bigint,
    checkpoint_id text,
    offsets text,
    offsets_odd text[],
    other_version_time timestamp with time zone
);

--
-- Name: layout_entry; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.layout_entry AS
 SELECT l.log_id,
    l.layout_id,
    o.n,
    o.partition_id,
    o.key_bucket,
    o.is_state,
    o.system_name,
    o.stream_name,
    o.factory_name,
    o.store_name,
    o.marker_prefix,
    o.marker_suffix
   FROM (projection.checkpoint_layout l
     CROSS JOIN LATERAL projection.opened(l.*, NULL::text, NULL::text[]) o(n, partition_id, key_bucket, is_state, system_name, stream_name, factory_name, store_name, marker_prefix, marker_suffix, value));

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
-- Name: locked_stream; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.locked_stream AS
 SELECT h.stream_name,
    h.backend_pid,
    h.taken_at,
    COALESCE(a.client_hostname, host(a.client_addr)) AS host_name,
    NULLIF(a.application_name, ''::text) AS application_name,
    a.backend_start,
        CASE
            WHEN (a.state IS NULL) THEN ( SELECT max(p.heartbeat_at) AS max
               FROM (projection.job_log j
                 JOIN projection."position" p ON ((p.log_id = j.log_id)))
              WHERE (j.stream_name = h.stream_name))
            WHEN ((a.state <> 'active'::text) OR (a.wait_event = 'ClientRead'::text)) THEN a.state_change
            ELSE NULL::timestamp with time zone
        END AS last_seen_at
   FROM (projection.stream_holder h
     CROSS JOIN LATERAL pg_stat_get_activity(h.backend_pid) a(datid, pid, usesysid, application_name, state, query, wait_event_type, wait_event, xact_start, query_start, backend_start, state_change, client_addr, client_hostname, client_port, backend_xid, backend_xmin, backend_type, ssl, sslversion, sslcipher, sslbits, ssl_client_dn, ssl_client_serial, ssl_issuer_dn, gss_auth, gss_princ, gss_enc, gss_delegation, leader_pid, query_id))
  WHERE (((a.backend_start IS NULL) OR (a.backend_start <= h.taken_at)) AND has_table_privilege(a.usesysid, 'projection.stream_holder'::text, 'update'::text));

--
-- Name: log_status; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.log_status AS
 SELECT p.job_name,
    p.job_id,
    p.job_bucket,
    p.stream_name,
    p.stream_kind,
    p.incarnation,
    p.next_offset,
    p.end_offset,
    p.lag,
        CASE
            WHEN (t.stream_name IS NOT NULL) THEN 'retired'::text
            WHEN (p.is_newest AND (p.state <> 'refused'::text) AND projection.is_lost(p.state, GREATEST(p.heartbeat_at, projection.writable_since()), statement_timestamp())) THEN 'lost'::text
            ELSE p.state
        END AS state,
    p.state_detail,
    p.heartbeat_at,
    p.fold_version,
    p.horizon_offset,
    p.horizon_time,
    p.is_newest
   FROM (( SELECT p_1.job_name,
            p_1.job_id,
            p_1.job_bucket,
            p_1.stream_name,
            p_1.stream_kind,
            p_1.incarnation,
            p_1.next_offset,
            p_1.end_offset,
            p_1.lag,
            p_1.state,
            p_1.state_detail,
            p_1.heartbeat_at,
            p_1.fold_version,
            p_1.horizon_offset,
            p_1.horizon_time,
            (p_1.incarnation = max(p_1.incarnation) OVER (PARTITION BY p_1.job_name, p_1.job_id, p_1.stream_name)) AS is_newest
           FROM coordinator.log_position p_1) p
     LEFT JOIN eventlog.retired_stream t ON ((t.stream_name = p.stream_name)));

--
-- Name: message_table; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.message_table AS
 SELECT "left"((proname)::text, '-3'::integer) AS name,
    COALESCE("substring"(prosrc, 'message_head\(\$1, \$2, ''([^'']+)'::text), ''::text) AS message_type
   FROM pg_proc p
  WHERE ((pronamespace = ('projection'::regnamespace)::oid) AND (proname ~~ '%\_at'::text) AND (proargnames[1:3] = '{log_id,cut,keys}'::text[]));

--
-- Name: receipt; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.receipt AS
 SELECT spark_read_id,
    as_of,
    row_count,
    checksum,
    relation_name,
    column_names,
    log_ids,
    next_offsets
   FROM eventlog.spark_read r;

--
-- Name: retired_stream; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.retired_stream AS
 SELECT stream_name,
    retired_at
   FROM eventlog.retired_stream r;

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
-- Name: task_backlog; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.task_backlog AS
 SELECT j.job_name,
    j.job_id,
    p.task_name,
    p.system_name,
    p.stream_name,
    p.partition_id,
    p.key_bucket,
    l.records_behind,
    l.records_lost,
    l.seconds_behind,
    l.is_lower_bound,
    l.observed_at,
    l.last_records_behind,
    l.last_known_at
   FROM ((projection.current_job j
     CROSS JOIN LATERAL projection.task_position(j.coordinator_log, j.checkpoint_log) p(task_name, system_name, stream_name, partition_id, key_bucket, input_offset, next_offset, record_time))
     CROSS JOIN LATERAL projection.input_lag(j.job_suffix, p.system_name, p.stream_name, p.partition_id, p.next_offset, p.record_time) l(end_offset, records_behind, records_lost, seconds_behind, is_lower_bound, observed_at, last_records_behind, last_known_at))
  WHERE (EXISTS ( SELECT
           FROM projection.observed_input o
          WHERE (o.job_suffix = j.job_suffix)));

--
-- Name: task_status; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.task_status AS
 SELECT j.job_name,
    j.job_id,
    t.task_name,
    t.is_standby,
    t.assigned_at,
    t.commit_time,
    b.partition_count,
    b.records_behind,
    b.records_lost,
    b.seconds_behind,
    b.is_lower_bound,
    b.observed_at,
    b.last_records_behind,
    b.last_known_at
   FROM ((projection.current_job j
     CROSS JOIN LATERAL projection.job_task(j.coordinator_log, j.checkpoint_log) t(task_name, is_standby, assigned_at, commit_time))
     LEFT JOIN ( SELECT l.job_name,
            l.job_id,
            l.task_name,
            count(*) AS partition_count,
                CASE
                    WHEN (count(*) = count(l.records_behind)) THEN (sum(l.records_behind))::bigint
                    ELSE NULL::bigint
                END AS records_behind,
            (sum(l.records_lost))::bigint AS records_lost,
                CASE
                    WHEN (count(*) = count(l.seconds_behind)) THEN max(l.seconds_behind)
                    ELSE NULLIF(max(l.seconds_behind), 0)
                END AS seconds_behind,
            (bool_or(l.is_lower_bound) OR ((count(l.seconds_behind) >= 1) AND (count(l.seconds_behind) <= (count(*) - 1)))) AS is_lower_bound,
            min(l.observed_at) AS observed_at,
                CASE
                    WHEN (count(*) = count(l.last_records_behind)) THEN (sum(l.last_records_behind))::bigint
                    ELSE NULL::bigint
                END AS last_records_behind,
            min(l.last_known_at) AS last_known_at
           FROM projection.task_backlog l
          GROUP BY l.job_name, l.job_id, l.task_name) b USING (job_name, job_id, task_name));

--
-- Name: unread_log; Type: VIEW; Schema: projection; Owner: -
--

CREATE VIEW projection.unread_log AS
 SELECT l.stream_name,
    l.stream_kind,
    l.incarnation,
    h.next_offset AS end_offset
   FROM (eventlog.log l
     JOIN eventlog.log_head h USING (log_id))
  WHERE ((l.backend = 'postgres'::text) AND (NOT (EXISTS ( SELECT
           FROM projection.job_log j
          WHERE (j.stream_name = l.stream_name)))) AND (NOT (EXISTS ( SELECT
           FROM projection.refused_stream r
          WHERE (r.stream_name = l.stream_name)))));

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
-- Name: TABLE event; Type: ACL; Schema: eventlog; Owner: -
--

GRANT SELECT ON TABLE eventlog.event TO coordstream_replayer;
GRANT SELECT ON TABLE eventlog.event TO coordstream_writer;

--
-- Name: TABLE log_time; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.log_time TO coordstream_reader;
GRANT SELECT ON TABLE projection.log_time TO coordstream_replayer;

--
-- Name: TABLE message_event; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.message_event TO coordstream_reader;
GRANT SELECT ON TABLE projection.message_event TO coordstream_replayer;

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
-- Name: TABLE quarantine; Type: ACL; Schema: projection; Owner: -
--

GRANT SELECT ON TABLE projection.quarantine TO coordstream_reader;
GRANT SELECT ON TABLE projection.quarantine TO coordstream_replayer;

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
