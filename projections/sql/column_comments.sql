-- Needs: *
-- What columns mean that mean the same wherever they stand; a column with a comment of its own keeps it.
do $$
declare
  uncommented record;
begin
  for uncommented in
    select c.relname as relation, a.attname as name, shared.meaning
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    join (values
      ('job_name', 'The job''s name: `job.name` of its config; before config has come, what the stream''s name says (there `_` became `-`).'),
      ('job_id', 'The job''s id: `job.id` of its config; before config has come, what follows the last `_` of the stream''s name.'),
      ('job_bucket', '0 to 63, from the stream''s name: cuts a read of many jobs into parts that hold whole jobs.'),
      ('record_time', 'Time of the log''s record, as its producer or the broker set it. Null: timestamptz can''t hold it.'),
      ('message_time', 'The envelope''s own timestamp: when the message was made. Null: there is no envelope, it does not say, or timestamptz can''t hold it.'),
      ('source', 'Who wrote the message, by its envelope. Null: there is no envelope, or it does not say.'),
      ('host', 'The writer''s host, by the message''s envelope. Null: there is no envelope, or it does not say.'),
      ('username', 'The user who wrote it, by its envelope. Null: there is no envelope, or it does not say.'),
      ('stream_kind', 'Which of the job''s two logs: `coordinator` or `checkpoint`.'),
      ('incarnation', 'Which past of the log: one more each time the stream was made again, cut, or had other bytes at a known offset.'),
      ('log_offset', 'The event''s offset in its log.'),
      ('valid_from', 'From when on it was so: the log_time of the event that said it.'),
      ('valid_to', 'Until when it was so (exclusive): the log_time of the event that ended it, or when another incarnation of the log began. Null: it still is.'),
      ('from_log_offset', 'The event that said it first.'),
      ('to_log_offset', 'The event that ended it: another value, or a delete. Null: no event of this log did.'),
      ('task_name', 'The task.'),
      ('container_id', 'The container, as the job numbers them.'),
      ('system_name', 'The partition''s system.'),
      ('stream_name', 'The partition''s stream.'),
      ('partition_id', 'The partition''s number.'),
      ('key_bucket', 'The part of the partition that the task reads; -1 is all of it.'),
      ('operation', '`set` or `delete`.'),
      ('config_key', 'The config key; a key that shows a secret itself is a fingerprint.'),
      ('is_sensitive', 'The value is a secret, by its key or by what it shows, and only its fingerprint is here.'),
      ('checkpoint_version', '0: `set-checkpoint` on the coordinator stream; 1 and 2: the checkpoint topic''s two forms.'),
      ('origin', 'Where it stood: `coordinator-stream` or `checkpoint-topic`.'),
      ('is_preferred', 'A reader with the job''s current config takes this one: of the versions of a commit the first that is read; a lower one only where no better stands before it, or long before; none in the place that is not read.'),
      ('store_name', 'The store.'),
      ('factory_name', 'The class of the backend that wrote the state.'),
      ('startpoint_type', 'Where to start: `oldest`, `upcoming`, `specific` (an offset) or `timestamp`.'),
      ('startpoint_value', 'The offset of `specific`, the time in ms since 1970 of `timestamp`. Null: the other types have none.'),
      ('message_type', 'The type, from the key.'),
      ('message_key', 'What the message is about, from the key; the same text for every spelling of it.')
    ) shared(name, meaning) on shared.name = a.attname
    where c.relnamespace = 'coordinator'::regnamespace and c.relkind = 'v' and col_description(c.oid, a.attnum) is null
  loop
    execute format('comment on column coordinator.%I.%I is %L', uncommented.relation, uncommented.name, uncommented.meaning);
  end loop;
end $$;
