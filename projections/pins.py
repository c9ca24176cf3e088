"""Pins: named moments that retention keeps, however far back its horizon is."""

from datetime import datetime
from typing import Final, NamedTuple

from psycopg.errors import UniqueViolation

from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import hold
from projections.errors import ProjectionError

_INSERT: Final = "insert into eventlog.pin (name, pinned_at) values (%s, %s)"
_DELETE: Final = "delete from eventlog.pin where name = %s returning name"
_HORIZON: Final = """
select h.horizon_time, l.stream_name
from projection.log_horizon h
join projection.job_log l on l.log_id = h.log_id
cross join lateral projection.log_cut(h.log_id, %s) c
where c.cut >= 0 and c.cut < h.horizon_offset and not projection.is_pinned(h.log_id, c.cut)
order by h.horizon_time desc, l.stream_name limit 1
"""


class Pin(NamedTuple):
    """A moment with a name."""

    name: str
    pinned_at: datetime


class PinExists(ProjectionError):
    """There is a pin of that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"A pin named '{name}' exists already. Remove it first, or use another name.")


class UnknownPin(ProjectionError):
    """There is no pin of that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"Unknown pin '{name}'. `coordstream pin list` has the names.")


class PinBelowHorizon(ProjectionError):
    """What was true at the moment is no longer retained."""

    def __init__(self, pinned_at: datetime, stream_name: str, horizon: datetime) -> None:
        self.pinned_at = pinned_at
        self.stream_name = stream_name
        self.horizon = horizon
        super().__init__(
            f"Cannot pin {pinned_at:%Y-%m-%d %H:%M:%S} UTC: the history of {stream_name} is retained from "
            f"{horizon:%Y-%m-%d %H:%M:%S} UTC. Pin that time or a later one."
        )


def add_pin(connection: Connection, pin: Pin) -> None:
    """Keep what was true at a moment. Waits while a retention runs.

    Raises:
        PinExists, PinBelowHorizon: nothing was changed.
    """
    with connection.transaction():
        hold(connection, "retention")
        lost = connection.execute(_HORIZON, (pin.pinned_at,)).fetchone()
        if lost is not None:
            horizon, stream_name = lost
            raise PinBelowHorizon(pin.pinned_at, stream_name, horizon)
        try:
            connection.execute(_INSERT, pin)
        except UniqueViolation:
            raise PinExists(pin.name) from None


def remove_pin(connection: Connection, name: str) -> None:
    """Remove a pin. Below the horizon, the state at its time can then no longer be read.

    The next retention detaches the events that only the pin needs.

    Raises:
        UnknownPin: there is none of that name.
    """
    if connection.execute(_DELETE, (name,)).fetchone() is None:
        raise UnknownPin(name)
