create function coordinator.wait_for(stream_name text, log_offset bigint, timeout_ms integer) returns boolean language plpgsql volatile as $$
declare
  deadline timestamptz := clock_timestamp() + $3 * interval '1 millisecond';
  pause_ms integer := 1;
  next_offset bigint;
begin
  if $1 is null or $2 is null or $3 is null then
    raise exception using errcode = 'null_value_not_allowed',
      message = 'coordinator.wait_for does not accept null: pass the name of a stream, an offset of it, and the maximum time to wait in milliseconds.';
  end if;
  if $3 > 600000 then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'Invalid timeout_ms %s. coordinator.wait_for waits at most 600000 ms (10 minutes); call it again if it returns false.', $3);
  end if;
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception using errcode = 'invalid_transaction_state', message = format(
      'coordinator.wait_for cannot run in a %s transaction, which does not see what others commit. Call it before the transaction begins.', current_setting('transaction_isolation'));
  end if;
  loop
    select p.next_offset into next_offset
    from projection.job_log l join projection.position p on p.log_id = l.log_id where l.stream_name = $1 and l.is_current;
    if not found then
      raise exception using errcode = 'no_data_found', message = format(
        'Unknown stream %s. coordinator.log_position has the names of the streams that are followed.', quote_literal($1));
    end if;
    if next_offset > $2 then
      return true;
    end if;
    if clock_timestamp() >= deadline then
      return false;
    end if;
    perform pg_sleep(least(pause_ms, greatest(extract(epoch from deadline - clock_timestamp()) * 1000, 0)) / 1000.0);
    pause_ms := least(pause_ms * 2, 20);
  end loop;
end
$$;
comment on function coordinator.wait_for is 'Waits until the current incarnation of a stream has been folded beyond an offset. Returns true as soon as the next statement can read what the event at that offset says, false if timeout_ms milliseconds have passed (at most 600000, which is 10 minutes; 0 or less: checks once). Raises for an unknown stream, for null, for a longer timeout, and in a transaction that is repeatable read or serializable and could not see the event.';
