"""The monitors of a running job's inputs, which report to its coordinator what has changed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

from coordstream.errors import describe_crash
from coordstream.metric_text import metric
from eventlog.config import task_inputs
from eventlog.errors import ConfigError, EventLogError, WireError, list_names
from eventlog.partition import parse_int32
from eventlog.source import StreamMissing, StreamRefused
from managers.coordinator.input_monitors import (
    PartitionCountChanges,
    Stream,
    StreamPartitionCountMonitor,
    StreamRegexMonitor,
)
from managers.coordinator.serving_context import JobServingContext
from managers.job_names import MONITOR_FREQUENCY, MONITOR_FREQUENCY_DEFAULT, Config
from managers.streams.stream_creation import InputAdmin

REGEX_FREQUENCY: Final = "job.coordinator.monitor-input-regex.frequency.ms"

_MOST_STREAMS: Final = 5

Report = Callable[[str], None]
OpenAdmins = Callable[[Config], AbstractContextManager[Mapping[str, InputAdmin]]]
"""Opens admins of the systems that a config's inputs name. An admin is not thread-safe: each thread opens its own."""


class InputMonitors:
    """Both of Samza's monitors of inputs, at the frequencies that the job's config sets.

    ``report`` gets a sentence about what cannot be checked.
    """

    def __init__(self, context: JobServingContext, open_admins: OpenAdmins, report: Report) -> None:
        self._context: Final = context
        self._open_admins: Final = open_admins
        self._report: Final = report
        self._started: dict[str, StreamPartitionCountMonitor | StreamRegexMonitor] = {}

    def start(self) -> None:
        """Start the monitors. Raises `ConfigError`: a frequency or a pattern is invalid."""
        config = self._config
        self._started = {
            "monitor of partitions": StreamPartitionCountMonitor(
                self._known_counts,
                self._count_partitions,
                self._report_growth,
                self._report,
                seconds=_seconds(config, MONITOR_FREQUENCY),
                on_failure=partial(self._report_failure, "monitor of partitions"),
            ),
            "monitor of new streams": StreamRegexMonitor(
                config,
                lambda: task_inputs(self._config),
                self._stream_names,
                self._report_new_streams,
                self._report,
                seconds=_seconds(config, REGEX_FREQUENCY),
                on_failure=partial(self._report_failure, "monitor of new streams"),
            ),
        }
        for monitor in self._started.values():
            monitor.start()

    @property
    def has_outage(self) -> bool:
        """Whether the brokers of an input did not answer at the last check; that a stream is missing does not count."""
        errors = [error for monitor in self._started.values() for error in [*monitor.errors.values()]]
        return any(not isinstance(error, StreamMissing | StreamRefused) for error in errors)

    def failures(self) -> Iterator[str]:
        for name, monitor in self._started.items():
            if (error := monitor.failure) is not None:
                yield _failure(name, error)

    def collect(self) -> Iterator[str]:
        """The gauges of both, with Samza's names."""
        gauges = [((name,), value) for monitor in self._started.values() for name, value in [*monitor.gauges.items()]]
        yield metric("coordinator_monitor", "A gauge of Samza's monitors of inputs", ("gauge",), gauges)

    def stop(self) -> None:
        for monitor in self._started.values():
            monitor.stop()

    def _report_failure(self, monitor: str, error: Exception) -> None:
        self._report(f"{_failure(monitor, error)} It is tried again.")
        self._report(describe_crash(error))

    @property
    def _config(self) -> Config:
        attempt = self._context.attempt
        return {} if attempt is None else attempt.config

    def _known_counts(self) -> Mapping[Stream, int]:
        attempt = self._context.attempt
        return {} if attempt is None else attempt.partition_counts

    def _count_partitions(self, streams: Collection[Stream]) -> Mapping[Stream, int | EventLogError]:
        try:
            with self._open_admins(self._config) as admins:
                return {stream: _count(admins, stream) for stream in streams}
        except EventLogError as error:
            return dict.fromkeys(streams, error)

    def _stream_names(self, system: str) -> Sequence[str]:
        with self._open_admins(self._config) as admins:
            return admins[system].topic_names()

    def _report_growth(self, changes: PartitionCountChanges) -> None:
        for (system, stream), (before, now) in sorted(changes.items()):
            self._context.changes.put(f"{system}.{stream} has {now} partitions; the job model has {before}")

    def _report_new_streams(self, streams: Collection[Stream]) -> None:
        listed = list_names([".".join(stream) for stream in streams], _MOST_STREAMS)
        self._context.changes.put(f"New streams match the job's inputs: {listed}")


def _failure(monitor: str, error: Exception) -> str:
    return f"The {monitor} failed unexpectedly: {type(error).__name__}."


def _count(admins: Mapping[str, InputAdmin], stream: Stream) -> int | EventLogError:
    system, name = stream
    try:
        return admins[system].partition_count(name)
    except EventLogError as error:
        return error


def _seconds(config: Config, key: str) -> float:
    text = config.get(key, MONITOR_FREQUENCY_DEFAULT)
    try:
        return parse_int32(text, "bad_number", key) / 1000
    except WireError:
        raise ConfigError(f"{key} is {text!r}. Expected an integer in milliseconds; 0 disables the monitor.") from None
