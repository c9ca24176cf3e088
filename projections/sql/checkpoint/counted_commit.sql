-- Every commit, with how many input partitions it names. The layout knows them; which of version 1 are changelogs, the config does.
create view projection.counted_commit as
select c.job_name, c.job_id, c.job_bucket, c.log_id, c.key_id, c.task_name, c.checkpoint_version, c.checkpoint_id, c.is_preferred,
  coalesce(l.input_count - case when c.checkpoint_version = 1 and l.input_streams && c.changelogs
    then (select count(*)::integer from unnest(l.input_streams) s where s = any (c.changelogs)) else 0 end, 0) as partition_count,
  c.record_time, c.message_time, c.source, c.host, c.username, c.stream_kind, c.incarnation, c.log_offset
from projection.commit c
left join projection.checkpoint_layout l on l.log_id = c.log_id and l.layout_id = c.layout_id and l.n = 1
where c.layout_id is not null;
