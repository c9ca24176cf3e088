-- Needs: *
-- The comments of columns that mean the same in every relation. A column with a comment of its own keeps it.
do $$
declare
  uncommented record;
begin
  for uncommented in
    select c.relname as relation, a.attname as name, shared.meaning
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    join (values
      ('job_name', 'The name of the job: `job.name` in its config or, before config has been read, from the name of its stream (in which `_` is written as `-`).'),
      ('job_id', 'The id of the job: `job.id` in its config or, before config has been read, what follows the last `_` in the name of its stream.'),
      ('job_bucket', '0 to 63, from the name of the stream: splits a read of many jobs into parts of whole jobs.'),
      ('record_time', 'Time of the log record, set by its producer or by the broker. Null: timestamptz cannot represent the time, or a resync found the delete.'),
      ('message_time', 'When the message was created, from its envelope. Null: there is no envelope, it has no time, or timestamptz cannot represent the time.'),
      ('source', 'The program that wrote the message, from its envelope. Null: there is no envelope, or it has no source.'),
      ('host', 'The host of the message''s writer, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.'),
      ('username', 'The user who wrote the message, from its envelope or, if it has none, from the headers that coordstream writes. Null: neither has it.'),
      ('stream_kind', 'Which of the two logs of the job: `coordinator` or `checkpoint`.'),
      ('incarnation', 'The incarnation of the log: one more each time the stream was re-created or truncated, or had other bytes at a known offset.'),
      ('log_offset', 'The offset of the event in its log.'),
      ('valid_from', 'Start of the validity (inclusive): the log_time of the event that set the value, or when the incarnation began to be shown.'),
      ('valid_to', 'End of the validity (exclusive): the log_time of the event that ended it, or when another incarnation began to be shown. Null: still valid.'),
      ('from_log_offset', 'The event that set the value.'),
      ('to_log_offset', 'The event that ended the validity: another value, or a delete. Null: no event of this log did.'),
      ('task_name', 'The task.'),
      ('container_id', 'The id of the container within the job.'),
      ('system_name', 'The system of the partition.'),
      ('stream_name', 'The stream of the partition.'),
      ('partition_id', 'The number of the partition.'),
      ('key_bucket', 'The part of the partition that the task reads; -1 for the whole partition.'),
      ('operation', '`set` or `delete`.'),
      ('config_key', 'The config key, or its fingerprint if the key itself contains a secret.'),
      ('is_sensitive', 'Whether the value is a secret, by its key or by its text, so that only its fingerprint is shown.'),
      ('checkpoint_version', '0: `set-checkpoint` on the coordinator stream; 1 and 2: the two formats of the checkpoint topic.'),
      ('origin', 'Where the checkpoint was read: `coordinator-stream` or `checkpoint-topic`.'),
      ('is_preferred', 'Whether the job, with its current config, would have read this checkpoint when it was written. The first version in task.checkpoint.read.versions is preferred. Another is preferred only if the task has no earlier checkpoint of a version before it in that list, or only an outdated one. Always false in a log that checkpoints are not read from.'),
      ('store_name', 'The store.'),
      ('factory_name', 'The factory class of the state backend.'),
      ('startpoint_type', 'Where to start: `oldest`, `upcoming`, `specific` (at an offset) or `timestamp`.'),
      ('startpoint_value', 'The offset of `specific`, the time in ms since 1970 of `timestamp`. Null: the other types have none.'),
      ('message_type', 'The message type, from the key.'),
      ('message_key', 'The rest of the key: a config key, a task or a partition; the same text for every spelling of the key.')
    ) shared(name, meaning) on shared.name = a.attname
    where c.relnamespace = 'coordinator'::regnamespace and c.relkind = 'v' and col_description(c.oid, a.attnum) is null
      and c.xmin = pg_current_xact_id()::xid -- created just now, so not a user's
  loop
    execute format('comment on column coordinator.%I.%I is %L', uncommented.relation, uncommented.name, uncommented.meaning);
  end loop;
end $$;
