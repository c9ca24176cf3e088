-- What readers of the projection may read of the receipts.
create view projection.receipt as
select r.spark_read_id, r.as_of, r.row_count, r.checksum, r.relation_name, r.column_names, r.log_ids, r.next_offsets
from eventlog.spark_read r;

create view coordinator.spark_read as
select j.job_name, j.job_id, j.job_bucket, r.spark_read_id, r.relation_name, array_to_string(r.column_names, ', ') as column_names,
  r.read_at, r.read_by, r.application, r.as_of, r.row_count, r.checksum,
  j.stream_name, j.stream_kind, j.incarnation, r.next_offsets[array_position(r.log_ids, j.log_id)] as next_offset
from projection.job_log j join eventlog.spark_read r on r.log_ids @> array[j.log_id];
comment on view coordinator.spark_read is E'The receipts that reads of Spark left (`leave_receipt=True`): what was read, by whom, and up to which offset of each log. One row per receipt and log. `read_relation(spark, receipt=ID)` reads the same rows again.\nKey: job_name, job_id, spark_read_id, stream_name, incarnation.';
comment on column coordinator.spark_read.spark_read_id is 'The number of the receipt.';
comment on column coordinator.spark_read.relation_name is 'The relation that was read.';
comment on column coordinator.spark_read.column_names is 'The columns that were read, with commas between them.';
comment on column coordinator.spark_read.read_at is 'When the receipt was left, by the clock of this server.';
comment on column coordinator.spark_read.read_by is 'The database user who left the receipt, and who vouches for its counts.';
comment on column coordinator.spark_read.application is 'The name of the Spark application.';
comment on column coordinator.spark_read.as_of is 'The time at which expiry was judged: that of the read, or the one that was asked for.';
comment on column coordinator.spark_read.row_count is 'The number of rows that were read, of all logs.';
comment on column coordinator.spark_read.checksum is 'The sum of the hashes (xxhash64) of all rows, modulo 2 to the power of 63: equal for equal rows in any order.';
comment on column coordinator.spark_read.stream_name is 'The stream of the log.';
comment on column coordinator.spark_read.next_offset is 'The first offset of the log that the read did not show.';

-- How readers leave a receipt. What a user can add in a day is limited, because each receipt stays until the owner deletes it.
create function coordinator.leave_receipt(relation_name text, column_names text[], log_ids integer[], next_offsets bigint[],
                                          as_of timestamptz, row_count bigint, checksum bigint, application text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
$$;
comment on function coordinator.leave_receipt is 'Adds a receipt to coordinator.spark_read and returns its number; `read_relation` calls it. The receipt is in the name of the user of the session, who can leave at most 10000 a day. Raises for an unknown log, for an offset below 0, and for null.';
