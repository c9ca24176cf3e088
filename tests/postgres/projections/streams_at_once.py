"""Streams of generated jobs as processes import them: functions of a module, which a pickle can name."""

from functools import partial

from eventlog.errors import ConfigError
from eventlog.events import RecordedEvent
from eventlog.streams import identify
from projections.parallel_import import ImportJob
from tests.fixtures.properties.generated_jobs import LONG, generate_job


def jobs_of(*numbers: int) -> list[ImportJob]:
    """Both logs of each of these jobs."""
    logs = [(number, place, log) for number in numbers for place, log in enumerate(generate_job(number, LONG).logs)]
    return [
        ImportJob(identify(log.stream_name), partial(generated_events, number, place), len(log.events))
        for number, place, log in logs
    ]


def generated_events(number: int, place: int) -> list[RecordedEvent]:
    """Events of one log of a generated job."""
    return generate_job(number, LONG).logs[place].events


def refused_events() -> list[RecordedEvent]:
    """None: they cannot be read."""
    raise ConfigError("these events are refused")
