"""A database with many small jobs, which are spread over the buckets."""

from datetime import UTC, datetime, timedelta
from typing import Final

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import connect
from tests.acceptance.imported_job import ImportedJob
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, recorded

JOBS: Final = tuple(f"job-{number}" for number in range(16))
COMMITS: Final = 40
FIRST: Final = datetime.fromtimestamp(FIRST_TIME / 1000, UTC)
EVERY: Final = timedelta(minutes=1)
START: Final = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """The time `seconds` after START."""
    return START + timedelta(seconds=seconds)


def import_fleet(url: str) -> None:
    """Jobs with a coordinator stream of one event, and a task that commits every minute from FIRST on."""
    with connect(url) as connection:
        for name in JOBS:
            job = ImportedJob(connection, name, coordinator=[config_set("task.inputs", "kafka.views")])
            job.import_recorded(job.checkpoint_stream, commits(0, COMMITS))


def add_commits(url: str, name: str, number: int) -> None:
    """Import further commits of a job."""
    with connect(url) as connection:
        job = ImportedJob(connection, name)
        job.import_recorded(job.checkpoint_stream, commits(0, COMMITS + number))


def commits(first: int, end: int) -> list[RecordedEvent]:
    """The commits of a job from one number to another; each commits its own number as an offset."""
    events = [checkpoint_v1(offsets={"kafka.views.0": str(number)}) for number in range(first, end)]
    return recorded(events, first=first, step=int(EVERY.total_seconds() * 1000))
