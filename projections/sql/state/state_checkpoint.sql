-- The state markers of the checkpoint every task would start from: a row a store.
create view coordinator.state_checkpoint as
select j.job_name, j.job_id, j.job_bucket, r.*
from projection.job_now j
cross join lateral projection.state_checkpoint_state(j.coordinator_log, j.coordinator_incarnation, null, j.checkpoint_log, j.checkpoint_incarnation, null) r;
comment on view coordinator.state_checkpoint is E'The state of every task''s checkpoint: how far each store had been backed up when the checkpoint was written, a row a store and backend. Version 1 names changelogs alone: where the config does not say whose they are, the store is empty, and the changelog tells the rows apart.\nKey: task_name, store_name, factory_name, changelog_system, changelog_stream, changelog_partition.';
comment on column coordinator.state_checkpoint.store_name is 'The store; empty where version 1 names a changelog and the config no store.';
comment on column coordinator.state_checkpoint.marker is 'What the backend wrote in order to find its backup again. Null: version 1 has no markers.';
comment on column coordinator.state_checkpoint.changelog_system is 'The changelog''s system. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint.changelog_stream is 'The changelog''s stream. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint.changelog_partition is 'The changelog''s partition. Null: the backend keeps no changelog in Kafka.';
comment on column coordinator.state_checkpoint.changelog_offset is 'The last offset of the changelog that belongs to the checkpoint. Null: the changelog was empty, or the backend keeps none in Kafka.';
comment on column coordinator.state_checkpoint.checkpoint_id is 'Which commit it was: a time in ms and a part that tells commits apart. Null: version 1 has it only in offsets that carry it.';
