"""Two states of an event: what is to be appended, and what a log has recorded."""

from typing import Final, NamedTuple

CREATE_TIME: Final = 0
LOG_APPEND_TIME: Final = 1

Headers = tuple[tuple[str, bytes | None], ...]


class RecordedEvent(NamedTuple):
    """One record of a log, as it stands there for ever.

    ``offset`` is its place in the log; ``timestamp`` the log record's time in ms since 1970, given by the
    writer (``CREATE_TIME``) or by the log (``LOG_APPEND_TIME``). A ``value`` of None is a tombstone.
    """

    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    leader_epoch: int | None = None


class NewEvent(NamedTuple):
    """A record that is to be appended; ``timestamp`` None lets the log's clock give the time."""

    key: bytes | None
    value: bytes | None
    timestamp: int | None = None
    headers: Headers = ()
