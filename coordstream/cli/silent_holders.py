"""Who holds a stream, and hangs, as `coordstream status` tells it."""

from eventlog.postgres.connection import Connection
from projections.stream_lock import holders


def silent_holders(connection: Connection) -> list[str]:
    """A sentence for each stream that is held by a session of which nothing was heard for too long."""
    held = holders(connection).items()
    return [f"{name} is held by {holder}, which is {holder.silence}." for name, holder in held if holder.is_silent]
