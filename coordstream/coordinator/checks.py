"""What a running coordinator checks regularly: the partitions of its inputs, new streams, and the job's config."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from threading import Event, Lock, Thread
from typing import ClassVar, Final

from coordstream.errors import describe_crash
from coordstream.web_server import Report
from eventlog.config import task_inputs
from eventlog.errors import ConfigError, EventLogError, WireError, list_names
from eventlog.partition import parse_int32
from eventlog.source import StreamMissing, StreamRefused
from managers.config.job_config import TRACKING_URL, read_config, write_once_changes
from managers.coordinator.serving_context import JobServingContext
from managers.errors import NotReady
from managers.job_models.job_model_building import input_patterns
from managers.job_names import MONITOR_FREQUENCY, MONITOR_FREQUENCY_DEFAULT, Config
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stream_creation import InputAdmin

REGEX_FREQUENCY: Final = "job.coordinator.monitor-input-regex.frequency.ms"
CONFIG_SECONDS: Final = 1.0
_JOIN_SECONDS: Final = 1.0
_MOST_NAMES: Final = 5

Stream = tuple[str, str]
OpenAdmins = Callable[[Config], AbstractContextManager[Mapping[str, InputAdmin]]]
"""Opens admins of the systems that a config's inputs name. An admin is not thread-safe: each thread opens its own."""


class PeriodicCheck:
    """Repeats a check in a thread of its own, from `start` to `stop`. Its attributes may be read in any thread.

    Changes go to the queue of the context. ``report`` gets a sentence about what cannot be checked, once while the
    reason stays the same, and one when that is over.
    """

    name: ClassVar[str]
    cannot: ClassVar[str]
    can_again: ClassVar[str]
    checks_at_start: ClassVar[bool] = False

    def __init__(self, context: JobServingContext, report: Report, seconds: float) -> None:
        """``seconds`` between two checks, 0: none."""
        self.gauges: Final[dict[str, int]] = {}
        """Those of Samza's monitors, by name."""
        self.errors: Mapping[str, EventLogError] = {}
        """Why something could not be checked the last time."""
        self.failure: Exception | None = None
        """The unexpected error of the last check."""
        self._context: Final = context
        self._report: Final = report
        self._seconds: Final = seconds
        self._is_stopped: Final = Event()
        self._thread: Final = Thread(target=self._run, name=type(self).__name__, daemon=True)

    def check(self) -> None:
        raise NotImplementedError

    def start(self) -> None:
        """Start the thread, unless it was started before. Raises `NotReady` after `stop`."""
        if self._is_stopped.is_set():
            raise NotReady(f"the {type(self).__name__}", "was stopped", "create another one")
        if self._seconds > 0 and not self._thread.is_alive():
            self._thread.start()

    def stop(self) -> None:
        self._is_stopped.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_SECONDS)

    def check_once(self) -> None:
        try:
            self.check()
        except Exception as error:
            is_new = type(error) is not type(self.failure)
            self.failure = error
            if is_new:
                self._report(f"{next(self.failures())} It will be tried again.")
                self._report(describe_crash(error))
        else:
            self.failure = None

    def failures(self) -> Iterator[str]:
        if self.failure is not None:
            yield f"The {self.name} failed unexpectedly: {type(self.failure).__name__}."

    @property
    def has_outage(self) -> bool:
        """Whether brokers or the database did not answer; that a stream is missing does not count."""
        return any(not isinstance(error, StreamMissing | StreamRefused) for error in self.errors.values())

    def _run(self) -> None:
        wait = 0.0 if self.checks_at_start else self._seconds
        while not self._is_stopped.wait(wait):
            self.check_once()
            wait = self._seconds

    def _compare_errors(self, errors: Mapping[str, EventLogError]) -> None:
        before, self.errors = self.errors, errors
        if over := before.keys() - errors.keys():
            self._report(self.can_again.format(_listed(over)))
        new = {name: str(error) for name, error in errors.items() if str(before.get(name)) != str(error)}
        for reason in dict.fromkeys(new.values()):
            names = _listed(name for name, each in new.items() if each == reason)
            self._report(self.cannot.format(names, reason.rstrip(".")))


class StreamPartitionCountMonitor(PeriodicCheck):
    """Compares the number of partitions of each input with that in the job model (Samza's class)."""

    name = "monitor of partitions"
    cannot = "Cannot count the partitions of {}: {}."
    can_again = "The partitions of {} can be counted again."

    def __init__(self, context: JobServingContext, open_admins: OpenAdmins, report: Report) -> None:
        """Raises `ConfigError`: the frequency is invalid."""
        super().__init__(context, report, _seconds(context.config, MONITOR_FREQUENCY))
        self._open_admins: Final = open_admins
        self._reported: dict[Stream, tuple[int, int]] = {}
        """The number of partitions in the job model, and another one that it has now."""
        self._set_gauges(dict.fromkeys(self._known, 0))

    def check(self) -> None:
        known = self._known
        counts = self._count(known)
        self._set_gauges(counts)
        differing = {stream: (known[stream], now) for stream, now in counts.items() if now != known[stream]}
        over = [stream for stream in self._reported if stream in counts and stream not in differing]
        if restored := [".".join(stream) for stream in over if self._reported[stream][0] == known[stream]]:
            self._report(f"{_listed(restored)}: again as many partitions as in the job model.")
        new = {stream: change for stream, change in sorted(differing.items()) if self._reported.get(stream) != change}
        self._reported = {stream: each for stream, each in self._reported.items() if stream not in over} | new
        fewer = [f"{'.'.join(stream)} ({before} to {now})" for stream, (before, now) in new.items() if now < before]
        if fewer:
            lost = list_names(fewer, _MOST_NAMES)
            self._report(f"Streams lost partitions: {lost}. Check whether they were re-created.")
        for stream, (before, now) in new.items():
            if now > before:
                self._context.changes.put(f"{'.'.join(stream)} has {now} partitions; the job model has {before}")

    @property
    def _known(self) -> Mapping[Stream, int]:
        attempt = self._context.attempt
        return {} if attempt is None else attempt.partition_counts

    def _count(self, streams: Iterable[Stream]) -> dict[Stream, int]:
        """The streams that could be asked; the others are reported."""
        counts: dict[Stream, int] = {}
        errors: dict[str, EventLogError] = {}
        try:
            with self._open_admins(self._context.config) as admins:
                for system, stream in streams:
                    try:
                        counts[system, stream] = admins[system].partition_count(stream)
                    except EventLogError as error:
                        errors[f"{system}.{stream}"] = error
        except EventLogError as error:
            errors = {".".join(stream): error for stream in streams}
        self._compare_errors(errors)
        return counts

    def _set_gauges(self, counts: Mapping[Stream, int]) -> None:
        self.gauges.update({f"{system}-{stream}-partitionCount": count for (system, stream), count in counts.items()})


class StreamRegexMonitor(PeriodicCheck):
    """Compares the streams that match the patterns of config rewriters with those of the job model (Samza's class)."""

    name = "monitor of new streams"
    cannot = "Cannot list the streams of system {}: {}."
    can_again = "The streams of system {} can be listed again."
    checks_at_start = True

    def __init__(self, context: JobServingContext, open_admins: OpenAdmins, report: Report) -> None:
        """Raises `ConfigError`: the frequency or a pattern is invalid."""
        seconds = _seconds(context.config, REGEX_FREQUENCY)
        self._patterns: Final = input_patterns(context.config)
        super().__init__(context, report, seconds if self._patterns else 0)
        self._open_admins: Final = open_admins
        self._reported: list[Stream] = []
        self._set_gauges(())

    def check(self) -> None:
        known, errors = task_inputs(self._context.config), dict[str, EventLogError]()
        found: set[Stream] = set()
        for system in self._patterns:
            try:
                found |= self._matching(system) - known
            except EventLogError as error:
                errors[system] = error
                found |= {stream for stream in self._reported if stream[0] == system and stream not in known}
        self._compare_errors(errors)
        self._set_gauges(found)
        new = sorted(found)
        if new and new != self._reported:
            self._context.changes.put(f"New streams match the job's inputs: {_listed('.'.join(each) for each in new)}")
        self._reported = new

    def _matching(self, system: str) -> set[Stream]:
        with self._open_admins(self._context.config) as admins:
            names = admins[system].topic_names()
        return {(system, name) for name in names if any(each.fullmatch(name) for each in self._patterns[system])}

    def _set_gauges(self, found: Iterable[Stream]) -> None:
        systems = [system for system, _ in found]
        self.gauges.update({f"{system}-new-input-streams": systems.count(system) for system in self._patterns})


class ConfigWatch(PeriodicCheck):
    """Reads the coordinator stream, and reports the names of config keys that have changed, never their values.

    With ``adapts``, a change is also one for which the coordinator computes the job model again.

    What the coordinator itself writes while it holds `lock` is not reported, if it then serves it.
    """

    name = "watch of the config"
    cannot = "{1}. Retrying."
    can_again = "The coordinator stream can be read again."

    def __init__(
        self, store: CoordinatorStreamStore, context: JobServingContext, report: Report, *, adapts: bool = False
    ) -> None:
        super().__init__(context, report, CONFIG_SECONDS)
        self.lock: Final = Lock()
        self._store: Final = store
        self._adapts: Final = adapts
        self._config: Config = {}  # before the first check: that which is served
        self._position = -1

    def check(self) -> None:
        try:
            with self.lock:
                self._store.catch_up()
                if (position := self._store.position) != self._position:
                    before, now = self._config or self._context.config, read_config(self._store)
                    self._position, self._config = position, now
                    self._compare(before, now)
                self._compare_errors({})
        except EventLogError as error:
            self._compare_errors({"": error})

    def _compare(self, before: Config, now: Config) -> None:
        served = self._context.config
        keys = {**before, **served, **now}.keys() - {TRACKING_URL}
        changed = {key for key in keys if now.get(key) != before.get(key)}
        write_once = {key for key, *_ in write_once_changes(served, now)}
        others = {key for key in keys - write_once if now.get(key) != served.get(key)}
        if forced := write_once & changed:
            self._report(
                f"Another program changed {_listed(forced)}, which may be set only once: the next "
                "start would assign the job's state to other tasks. Restore the old value."
            )
        if self._adapts and changed and others:  # a key that is restored may have kept others out
            self._context.changes.put(f"The config changed ({_listed(others)})")
        elif not self._adapts and others & changed:
            self._report(f"The config changed ({_listed(others & changed)}). The next start uses it.")


def _listed(names: Iterable[str]) -> str:
    return list_names(sorted(names), _MOST_NAMES)


def _seconds(config: Config, key: str) -> float:
    text = config.get(key, MONITOR_FREQUENCY_DEFAULT)
    try:
        return parse_int32(text, "bad_number", key) / 1000
    except WireError:
        raise ConfigError(f"{key} is {text!r}. Expected an integer in milliseconds; 0 disables the monitor.") from None
