"""The start of a follower: waiting for its database, and the line that says what it follows."""

from collections.abc import Callable
from time import monotonic
from typing import Final, NamedTuple

from coordstream.cli.follow.stop import StopRequest
from coordstream.database import Database, DatabaseUnreachable, open_database
from coordstream.settings import Settings
from eventlog.backoff import Backoff
from projections.follow.follow_run import FollowPlan

_MOST_NAMES: Final = 3


class FoundDatabase(NamedTuple):
    """The database, whose connection is closed again, and its place without a password."""

    database: Database
    place: str


def wait_for_database(
    stop: StopRequest, outage_timeout: float | None, report: Callable[[str], None]
) -> FoundDatabase | None:
    """The database, with this program's schema; None if the follower is stopped before it answers.

    ``outage_timeout``: wait at most this many seconds; None: without a limit.

    Raises:
        CoordstreamError: the database refuses us, or has another schema.
    """
    backoff, began, is_reported = Backoff(), monotonic(), False
    while not stop.is_requested:
        try:
            with open_database() as database:
                info = database.connection.info
                return FoundDatabase(database, f"the database {info.dbname} at {info.host}:{info.port}")
        except DatabaseUnreachable as error:
            if not is_reported:
                report(f"{error} Retrying.")
                is_reported = True
            if outage_timeout is not None and monotonic() >= began + outage_timeout:
                return None
            stop.wait(backoff.next())
    return None


def describe_start(plan: FollowPlan, settings: Settings, database_place: str) -> str:
    """Which streams the follower reads, from where to where, and how far."""
    source = "Postgres" if settings.kafka is None else settings.kafka.place
    return f"Following {_describe_streams(plan)} of {source} into {database_place}{_describe_end(plan)}."


def _describe_streams(plan: FollowPlan) -> str:
    if plan.follows_all:
        return "all streams" if plan.once else "all streams, including future ones,"
    names, more = plan.stream_names[:_MOST_NAMES], len(plan.stream_names) - _MOST_NAMES
    listed = ", ".join(names) + (f" and {more} more" if more > 0 else "")
    return f"{len(plan.stream_names)} {'stream' if len(plan.stream_names) == 1 else 'streams'} ({listed})"


def _describe_end(plan: FollowPlan) -> str:
    if plan.until is not None:
        return f", to offset {plan.until}"
    return ", to the current ends" if plan.once else ""
