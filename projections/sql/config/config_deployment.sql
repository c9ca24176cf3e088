-- The config events of a log, each with the number of its deployment within the log. A deployment begins with an event of another writer
-- than the one before, an event more than a minute later than all before it, or a key that the deployment has already set.
-- A delete continues the deployment of the event before it: a tombstone has no envelope and therefore no writer, and the rare message
-- without a value is treated alike.
create function projection.config_deployment_event(log_id integer)
returns table (deployment integer, message_key text, operation text, record_time timestamptz,
               source text, host text, username text, log_offset bigint)
language plpgsql stable parallel safe as $$
declare
  event record;
  begins_at bigint;
  at timestamptz;           -- null: a delete that a resync found has none
  latest_time timestamptz;  -- without times more than an hour ahead
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
    at := event.record_time;
    if at is not null and coalesce(projection.time_between(latest_time, at) > interval '1 minute', true) then
      at := least(at, (select t.log_time from projection.log_time t where t.log_id = $1 and t.log_offset = event.log_offset));
    end if;
    if begins_at is null or event.is_other_writer or not event.is_delete and event.set_before >= begins_at
       or projection.time_between(latest_time, at) > interval '1 minute' then
      deployment := deployment + 1;
      begins_at := event.log_offset;
    end if;
    message_key := event.message_key;
    operation := case when event.is_delete then 'delete' else 'set' end;
    latest_time := greatest(latest_time, at);
    record_time := event.record_time;
    source := event.source;
    host := event.host;
    username := event.username;
    log_offset := event.log_offset;
    return next;
  end loop;
end
$$;

create view coordinator.config_deployment as
select j.job_name, j.job_id, j.job_bucket, d.*
from (select distinct l.job_name, l.job_id, l.job_bucket from projection.job_log l where l.stream_kind = 'coordinator') j
cross join lateral (
  select (row_number() over own)::integer as deployment_number, b.source, b.host, b.username,
    b.first_record_time, b.last_record_time, b.first_log_offset, b.last_log_offset, b.keys_set, b.keys_changed, b.keys_deleted,
    (count(*) filter (where b.source = 'job-runner') over own)::integer as run_number, b.incarnation
  from (
    select l.incarnation, e.deployment, max(e.source) filter (where e.operation = 'set') as source,
      max(e.host) filter (where e.operation = 'set') as host, max(e.username) filter (where e.operation = 'set') as username,
      min(e.record_time) as first_record_time, max(e.record_time) as last_record_time,
      min(e.log_offset) as first_log_offset, max(e.log_offset) as last_log_offset,
      (count(distinct e.message_key) filter (where e.operation = 'set'))::integer as keys_set,
      (count(distinct e.message_key) filter (where c.body is not null))::integer as keys_changed,
      (count(distinct e.message_key) filter (where c.log_offset is not null and c.body is null))::integer as keys_deleted
    from projection.job_log l
    cross join lateral projection.log_shown(l.log_id) s
    cross join lateral projection.config_deployment_event(l.log_id) e
    left join lateral projection.message_change(l.log_id, 'set-config', message_key => null) c using (message_key, log_offset)
    where l.job_name = j.job_name and l.job_id = j.job_id and l.stream_kind = 'coordinator'
    group by l.incarnation, e.deployment, s.after_offset, s.last_offset
    having coalesce(min(e.log_offset) > s.after_offset and min(e.log_offset) <= s.last_offset, true)) b
  window own as (order by b.incarnation, b.first_log_offset)) d;
comment on view coordinator.config_deployment is E'Bursts of config events by one writer: a start of the job writes all keys, then deletes those that are gone. A deployment ends where another writer writes config, where a key is set a second time, and where no config event follows within a minute. A deployment is not atomic: as of an offset or a time in its middle, `config` has the new keys and the ones to be deleted. After a retention: only events beyond the horizon, numbered from 1.\nKey: job_name, job_id, deployment_number.';
comment on column coordinator.config_deployment.deployment_number is '1, 2, …: in the order of the log, over all of its incarnations; what an incarnation repeats of the one before counts once.';
comment on column coordinator.config_deployment.source is 'The program that wrote the keys. Null: the deployment has only deletes, or its messages name no program.';
comment on column coordinator.config_deployment.host is 'The host of the writer. Null: the deployment has only deletes, or its messages name no host.';
comment on column coordinator.config_deployment.username is 'The user of the writer. Null: the deployment has only deletes, or its messages name no user.';
comment on column coordinator.config_deployment.first_record_time is 'The earliest record time of the deployment''s events. Null: timestamptz cannot represent any of them.';
comment on column coordinator.config_deployment.last_record_time is 'The latest record time of the deployment''s events. Null: timestamptz cannot represent any of them.';
comment on column coordinator.config_deployment.first_log_offset is 'The offset of the first event of the deployment. Events of other types can stand between it and the last.';
comment on column coordinator.config_deployment.last_log_offset is 'The offset of the last event of the deployment.';
comment on column coordinator.config_deployment.keys_set is 'Number of keys that the deployment wrote, also those with an unchanged value.';
comment on column coordinator.config_deployment.keys_changed is 'Number of keys that the deployment added or gave another value.';
comment on column coordinator.config_deployment.keys_deleted is 'Number of keys that were set and that the deployment deleted.';
comment on column coordinator.config_deployment.run_number is 'The number of the job''s start that the deployment belongs to: the number of deployments by `job-runner`, which writes all keys at each start, up to this one. 0: before the first start.';
