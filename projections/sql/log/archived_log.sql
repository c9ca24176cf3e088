-- The logs of the archive: what readers of the projection may see of them.
create view projection.archived_log as
select l.log_id, l.backend, l.cluster_id, l.topic_id, l.created_at from eventlog.log l;
