-- The columns of eventlog.log that readers of the projection may read.
create view projection.archived_log as
select l.log_id, l.backend, l.cluster_id, l.topic_id, l.created_at from eventlog.log l;

-- The events of the archive without their bytes, which readers of the projection may not read.
create view projection.archived_event as
select e.log_id, e.log_offset, e.record_time, e.archived_at, sha256(e.key) as key_sha256,
       octet_length(e.value) as value_bytes, e.value is null as is_tombstone
from eventlog.event e;
