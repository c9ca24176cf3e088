"""StreamPartitionCountMonitor and StreamRegexMonitor: notice changes of a job's inputs."""

from collections.abc import Callable, Collection, Iterable, Mapping
from threading import Event, Lock, Thread
from typing import Final, NamedTuple

from eventlog.errors import EventLogError, list_names
from managers.errors import NotReady
from managers.job_models.job_model_building import input_patterns
from managers.job_names import Config

OnFailure = Callable[[Exception], None]

_JOIN_SECONDS: Final = 1.0
Stream = tuple[str, str]
DEFAULT_SECONDS: Final = 300.0
CountPartitions = Callable[[Collection[Stream]], Mapping[Stream, int | EventLogError]]
"""Asks for the number of partitions of each of these streams; an error says why it is unknown."""
_MOST_STREAMS: Final = 5


class PeriodicCheck:
    """Calls ``check`` every ``seconds`` in a thread of its own, first after ``first_after`` seconds; never with 0."""

    def __init__(
        self,
        check: Callable[[], None],
        seconds: float,
        *,
        first_after: float,
        on_failure: OnFailure = lambda _error: None,
    ) -> None:
        """``on_failure`` gets an error of ``check``, once while the type of the error stays the same."""
        self._check: Final = check
        self._seconds: Final = seconds
        self._first_after: Final = first_after
        self._on_failure: Final = on_failure
        self.failure: Exception | None = None
        """The error of the last check; None: it raised none."""
        self._is_stopped: Final = Event()
        self._lock: Final = Lock()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it was started before. Raises `NotReady` after `stop`."""
        with self._lock:
            if self._is_stopped.is_set():
                raise NotReady(f"the {type(self).__name__}", "was stopped", "create another one")
            if self._thread is None and self._seconds > 0:
                self._thread = Thread(target=self._run, name=type(self).__name__, daemon=True)
                self._thread.start()

    def stop(self) -> None:
        self._is_stopped.set()
        with self._lock:
            if self._thread is not None:
                self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        wait = self._first_after
        while not self._is_stopped.wait(wait):
            self.check_once()
            wait = self._seconds

    def check_once(self) -> None:
        try:
            self._check()
        except Exception as error:
            is_new = type(error) is not type(self.failure)
            self.failure = error
            if is_new:
                self._on_failure(error)
        else:
            self.failure = None


class PartitionCountChange(NamedTuple):
    """The number of partitions of a stream: in the job model, and now."""

    before: int
    now: int


PartitionCountChanges = Mapping[Stream, PartitionCountChange]


class StreamPartitionCountMonitor(PeriodicCheck):
    """Compares the number of partitions of each input with that in the job model (Samza's class)."""

    def __init__(
        self,
        known_counts: Callable[[], Mapping[Stream, int]],
        count_partitions: CountPartitions,
        on_change: Callable[[PartitionCountChanges], None],
        on_error: Callable[[str], None] = lambda _sentence: None,
        *,
        on_failure: OnFailure = lambda _error: None,
        seconds: float = DEFAULT_SECONDS,
    ) -> None:
        """Watch the streams of ``known_counts``, which are read at each check, so that a new job model counts at once.

        ``on_change`` gets the streams that have more partitions than before, once for each number. ``on_error`` gets a
        sentence about streams that have fewer or could not be asked, and one when that is over. ``on_failure`` gets an
        unexpected error.
        """
        self._known_counts: Final = known_counts
        self._count_partitions: Final = count_partitions
        self._on_change: Final = on_change
        self._on_error: Final = on_error
        super().__init__(self.update_partition_count_metric, seconds, first_after=seconds, on_failure=on_failure)
        self._reported: dict[Stream, PartitionCountChange] = {}
        self.errors: Mapping[Stream, EventLogError] = {}
        """Why streams could not be asked at the last check."""
        self.gauges: Final[dict[str, int]] = {_partition_gauge(stream): 0 for stream in known_counts()}

    def update_partition_count_metric(self) -> None:
        known = self._known_counts()
        answers = self._count_partitions(known.keys())
        found = {stream: answer for stream, answer in answers.items() if isinstance(answer, int)}
        self.gauges.update({_partition_gauge(stream): count for stream, count in found.items()})
        self._report_errors({stream: why for stream, why in answers.items() if isinstance(why, EventLogError)})
        changes = {stream: PartitionCountChange(known[stream], now) for stream, now in found.items()}
        equal = [stream for stream, change in changes.items() if change.now == change.before]
        over = {stream: self._reported.pop(stream) for stream in equal if stream in self._reported}
        restored = [stream for stream, change in over.items() if change.before == known[stream]]
        if restored:
            self._on_error(f"{_listed(restored)}: the number of partitions is that of the job model again.")
        self._report({stream: change for stream, change in changes.items() if stream not in equal})

    def _report(self, differing: PartitionCountChanges) -> None:
        new = {stream: change for stream, change in differing.items() if self._reported.get(stream) != change}
        self._reported.update(new)
        fewer = {stream: change for stream, change in new.items() if change.now < change.before}
        if fewer:
            counts = [f"{'.'.join(stream)} ({before} to {now})" for stream, (before, now) in sorted(fewer.items())]
            lost = list_names(counts, _MOST_STREAMS)
            self._on_error(f"Streams lost partitions: {lost}. Check whether they were created again.")
        grown = {stream: change for stream, change in new.items() if stream not in fewer}
        if grown:
            self._on_change(grown)

    def _report_errors(self, errors: Mapping[Stream, EventLogError]) -> None:
        known = {stream: str(why) for stream, why in self.errors.items()}
        new = {stream: str(why) for stream, why in errors.items() if known.get(stream) != str(why)}
        answering = known.keys() - errors.keys()
        self.errors = errors
        if answering:
            self._on_error(f"The partitions of {_listed(answering)} can be counted again.")
        for reason in dict.fromkeys(new.values()):
            streams = [stream for stream, why in new.items() if why == reason]
            self._on_error(f"Cannot count the partitions of {_listed(streams)}: {reason}")


def _partition_gauge(stream: Stream) -> str:
    return f"{stream[0]}-{stream[1]}-partitionCount"


def _listed(streams: Iterable[Stream]) -> str:
    return list_names(sorted(map(".".join, streams)), _MOST_STREAMS)


class StreamRegexMonitor(PeriodicCheck):
    """Compares the streams that match the patterns of config rewriters with those of the job model (Samza's class)."""

    def __init__(
        self,
        config: Config,
        known_streams: Callable[[], Collection[Stream]],
        stream_names: Callable[[str], Collection[str]],
        on_change: Callable[[Collection[Stream]], None],
        on_error: Callable[[str], None] = lambda _sentence: None,
        *,
        on_failure: OnFailure = lambda _error: None,
        seconds: float = DEFAULT_SECONDS,
    ) -> None:
        """Watch the systems that have a rewriter with a pattern, at once and then regularly. Raises `ConfigError`.

        ``known_streams`` are read at each check, ``stream_names`` lists the streams of a system. ``on_change`` gets all
        new streams whenever they have changed; ``on_error`` a sentence about a system that could not be asked, and one
        when it can be asked again; ``on_failure`` an unexpected error.
        """
        self._patterns: Final = input_patterns(config)
        self._known_streams: Final = known_streams
        self._stream_names: Final = stream_names
        self._on_change: Final = on_change
        self._on_error: Final = on_error
        super().__init__(self.check, seconds if self._patterns else 0, first_after=0, on_failure=on_failure)
        self._reported: list[Stream] = []
        self.errors: Final[dict[str, EventLogError]] = {}
        """Why the streams of systems could not be listed at the last check."""
        self.gauges: Final[dict[str, int]] = {_stream_gauge(system): 0 for system in self._patterns}

    def check(self) -> None:
        known = set(self._known_streams())
        new = {system: self._matching(system) - known for system in self._patterns}
        self.gauges.update({_stream_gauge(system): len(found) for system, found in new.items()})
        found = sorted(set().union(*new.values()))
        if found and found != self._reported:
            self._on_change(found)
        self._reported = found

    def _matching(self, system: str) -> set[Stream]:
        try:
            names = self._stream_names(system)
        except EventLogError as error:
            if str(self.errors.get(system)) != str(error):
                self._on_error(f"Cannot list the streams of system {system}: {error}")
            self.errors[system] = error
            return {stream for stream in self._reported if stream[0] == system}
        if self.errors.pop(system, None):
            self._on_error(f"The streams of system {system} can be listed again.")
        patterns = self._patterns[system]
        return {(system, name) for name in names if any(pattern.fullmatch(name) for pattern in patterns)}


def _stream_gauge(system: str) -> str:
    return f"{system}-new-input-streams"
