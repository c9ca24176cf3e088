-- Read your own write: waits until a log has been folded beyond an offset.
create function coordinator.wait_for(stream_name text, log_offset bigint, timeout_ms integer) returns boolean language plpgsql volatile as $$
declare
  deadline timestamptz := clock_timestamp() + $3 * interval '1 millisecond';
  pause_ms integer := 1;
  next_offset bigint;
begin
  if $1 is null or $2 is null or $3 is null then
    raise exception using errcode = 'null_value_not_allowed',
      message = 'coordinator.wait_for was called with a null: give the name of a stream, an offset of it, and how many milliseconds to wait at most';
  end if;
  if $3 > 600000 then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'coordinator.wait_for waits 600000 ms (10 minutes) at most, not %s: give less, and call it again when it returns false', $3);
  end if;
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception using errcode = 'invalid_transaction_state', message = format(
      'coordinator.wait_for would wait in vain: a transaction that is %s does not see what others commit; call it before that transaction', current_setting('transaction_isolation'));
  end if;
  loop
    select p.next_offset into next_offset
    from projection.job_log l join projection.position p on p.log_id = l.log_id where l.stream_name = $1 and l.is_current;
    if not found then
      raise exception using errcode = 'no_data_found', message = format(
        'no log of the stream %s is known: coordinator.log_position has the names of those that are followed', quote_literal($1));
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
comment on function coordinator.wait_for is 'Waits until the current incarnation of a stream has been folded beyond an offset, and says whether it has: true as soon as the next statement can read what that event says, false when so many milliseconds have passed (0 or less: it only looks; 600000, which is 10 minutes, at most). Raises for a stream that is not known, for a null, for a longer time, and in a transaction that is repeatable read or serializable, which could not see it.';
