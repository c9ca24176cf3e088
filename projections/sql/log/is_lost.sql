-- Whether a log's follower ended without saying so: its heartbeats come every 5 seconds, by this server's clock.
create function projection.is_lost(state text, heartbeat_at timestamptz) returns boolean language sql stable parallel safe as $$
  select $1 <> 'stopped' and $2 < now() - interval '30 seconds'
$$;
