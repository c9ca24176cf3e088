-- The stores whose changelog offset is a lower number in one checkpoint row than in another one of the same log.
create function projection.lowered_changelog(log_id integer, layout_id bigint, offsets text, offsets_odd text[],
                                              earlier_layout_id bigint, earlier_offsets text, earlier_offsets_odd text[])
returns table (store_name text, system_name text, stream_name text, partition_id integer, changelog_offset text, earlier_offset text)
language sql stable parallel safe as $$
  select l.store_name, l.system_name, l.stream_name, l.partition_id, o.changelog_offset, o.earlier_offset
  from projection.layout_entry l
  join projection.layout_entry e on e.log_id = $1 and e.layout_id = $5 and e.is_state
    and (e.system_name, e.stream_name, e.partition_id) = (l.system_name, l.stream_name, l.partition_id)
    and e.store_name is not distinct from l.store_name
  cross join lateral (select projection.offset_of($3, $4, l.n), projection.offset_of($6, $7, e.n)) o(changelog_offset, earlier_offset)
  where l.log_id = $1 and l.layout_id = $2 and l.is_state
    and projection.offset_number(o.changelog_offset) < projection.offset_number(o.earlier_offset)
$$;

-- Checkpoints that the job reads and in which the state of a store went back but no input did, so that the state is behind the inputs.
create view projection.anomaly_state_behind_inputs as
select c.job_name, c.job_id, c.job_bucket, 'state_markers_disagree' as anomaly, c.task_name as subject,
  format('The state of task %s%s went back from offset %s (log offset %s) to %s of changelog %s, but no input did: what the task did with the input between '
         'is lost if the task starts here. Somebody wrote the checkpoint by hand, two containers run the task, or the changelog was re-created.',
         c.task_name, coalesce(', store ' || m.store_name || ',', ''), m.earlier_offset, b.log_offset, m.changelog_offset,
         projection.partition_text(m.system_name, m.stream_name, m.partition_id, -1)) as detail,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.suspect_commit c
cross join lateral projection.earlier_checkpoint(c.log_id, c.key_id, c.log_offset) b
cross join lateral (
  select l.* from projection.lowered_changelog(c.log_id, c.layout_id, c.offsets, c.offsets_odd, b.layout_id, b.offsets, b.offsets_odd) l
  order by l.store_name collate "C", l.system_name collate "C", l.stream_name collate "C", l.partition_id limit 1) m
where c.may_be_lower and c.is_preferred and not exists (
  select from projection.lowered_partition(c.log_id, c.layout_id, c.offsets, c.offsets_odd, b.layout_id, b.offsets, b.offsets_odd) i
  where not projection.is_changelog(c.checkpoint_version, i.system_name, i.stream_name, c.changelogs));

-- Stores that two backends back up, of which the changelog has changed since the marker of the other backend did. Only the checkpoint
-- that the task would start from is examined.
create view projection.anomaly_state_backends_disagree as
select s.job_name, s.job_id, s.job_bucket, 'state_markers_disagree' as anomaly, s.task_name as subject,
  format('The state of task %s, store %s, is at offset %s of changelog %s, but its marker of %s has not changed since log offset %s: '
         'a restore from there would lose the changes since.',
         s.task_name, s.store_name, s.own_offset, projection.partition_text(s.own_system, s.own_stream, s.own_partition, -1),
         s.factory_name, o.changed_log_offset) as detail,
  c.changed_at as record_time, null::timestamptz as message_time, null::text as source, null::text as host, null::text as username,
  s.stream_kind, s.incarnation, c.changed_log_offset as log_offset
from (
  select j.job_name, j.job_id, j.job_bucket, j.stream_kind, j.incarnation, r.*,
    first_value(r.factory_name) over own as own_factory, first_value(r.marker) over own as own_marker,
    first_value(r.changelog_system) over own as own_system, first_value(r.changelog_stream) over own as own_stream,
    first_value(r.changelog_partition) over own as own_partition, first_value(r.changelog_offset) over own as own_offset
  from projection.job_log j join projection.state_checkpoint r on r.log_id = j.log_id
  where j.is_current and r.marker is not null
  window own as (partition by j.job_name, j.job_id, r.task_name, r.store_name order by r.changelog_stream is null, r.factory_name)) s
cross join lateral projection.state_change(s.log_id, s.task_name, s.checkpoint_version, s.log_offset, s.store_name, s.own_factory,
  s.own_marker, s.own_system, s.own_stream, s.own_partition, s.own_offset) c
cross join lateral projection.state_change(s.log_id, s.task_name, s.checkpoint_version, s.log_offset, s.store_name, s.factory_name,
  s.marker, null, null, null, null) o
where s.changelog_stream is null and s.own_stream is not null
  and c.earlier_log_offset is not null and o.changed_log_offset < c.changed_log_offset;

-- The same commit of a task can be both, and of several stores and backends: one row, whose detail has a sentence of each.
create view projection.anomaly_state_markers_disagree as
select a.job_name, a.job_id, a.job_bucket, a.anomaly, a.subject, string_agg(a.detail, ' ' order by a.detail collate "C") as detail,
  a.record_time, max(a.message_time) as message_time, max(a.source) as source, max(a.host) as host, max(a.username) as username,
  a.stream_kind, a.incarnation, a.log_offset
from (
  select * from projection.anomaly_state_behind_inputs
  union all
  select * from projection.anomaly_state_backends_disagree) a
group by a.job_name, a.job_id, a.job_bucket, a.anomaly, a.subject, a.record_time, a.stream_kind, a.incarnation, a.log_offset;
