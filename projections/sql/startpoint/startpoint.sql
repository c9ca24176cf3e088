-- Startpoints requested and not yet handed out; expiry judged now.
create view coordinator.startpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j cross join lateral projection.startpoint_state(j.coordinator_log, j.coordinator_incarnation, null, j.checkpoint_log, null, now()) r;
comment on view coordinator.startpoint is E'Requests to start a partition somewhere else, not yet handed out: the next start takes them. A request of a task beats one of every task if it is as new, and the newest beats all; after 12 hours a request is expired and counts no more, but stays on the log.\nKey: system_name, stream_name, partition_id, key_bucket, task_name.';
comment on column coordinator.startpoint.task_name is 'The task that it is for. Null: every task that reads the partition.';
comment on column coordinator.startpoint.created_at is 'When the request was made, by the clock of who made it. Null: timestamptz can''t hold it.';
comment on column coordinator.startpoint.expires_at is '12 hours after it was made. Null: timestamptz can''t hold it.';
comment on column coordinator.startpoint.is_expired is 'Whether that is over, judged when read (by the functions: at their time).';
comment on column coordinator.startpoint.is_ambiguous is 'The key on the log can be read in several ways (dots in names), and what the tasks are known to read does not settle which.';
