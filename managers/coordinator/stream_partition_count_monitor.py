"""StreamPartitionCountMonitor: notices that inputs have got more partitions than the job model has."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, NamedTuple

from eventlog.error_text import list_names
from eventlog.errors import EventLogError
from managers.coordinator.periodic_check import OnFailure, PeriodicCheck

Stream = tuple[str, str]
"""A system and the name of a stream."""

DEFAULT_SECONDS: Final = 300.0


class PartitionCountChange(NamedTuple):
    """The number of partitions of a stream: in the job model, and now."""

    before: int
    now: int


PartitionCountChanges = Mapping[Stream, PartitionCountChange]
CountPartitions = Callable[[Collection[Stream]], Mapping[Stream, int | EventLogError]]
"""Asks for the number of partitions of each of these streams; an error says why it is unknown."""

_MOST_STREAMS: Final = 5


class StreamPartitionCountMonitor:
    """Compares the number of partitions of each input with that in the job model (Samza's class).

    ``gauges`` has the current number of each stream, under Samza's names.
    """

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
        sentence about streams that have fewer, or could not be asked, once while the reason stays the same, and a
        sentence when that is over; the others are still checked. ``on_failure`` gets an unexpected error, after which
        the next check is made as usual.
        """
        self._known_counts: Final = known_counts
        self._count_partitions: Final = count_partitions
        self._on_change: Final = on_change
        self._on_error: Final = on_error
        self._periodic: Final = PeriodicCheck(
            type(self).__name__,
            self.update_partition_count_metric,
            seconds,
            first_after=seconds,
            on_failure=on_failure,
        )
        self._reported: dict[Stream, PartitionCountChange] = {}
        self.errors: Mapping[Stream, EventLogError] = {}
        """Why streams could not be asked at the last check."""
        self.gauges: Final[dict[str, int]] = {_gauge(stream): 0 for stream in known_counts()}

    @property
    def failure(self) -> Exception | None:
        """The unexpected error of the last check; None: there was none."""
        return self._periodic.failure

    def start(self) -> None:
        """Check regularly. Starting twice changes nothing. Raises `NotReady` after `stop`."""
        self._periodic.start()

    def stop(self) -> None:
        """Stop for good."""
        self._periodic.stop()

    def update_partition_count_metric(self) -> None:
        """Ask for the partitions of each stream now, update the gauges, and report changes."""
        known = self._known_counts()
        answers = self._count_partitions(known.keys())
        found = {stream: answer for stream, answer in answers.items() if isinstance(answer, int)}
        self.gauges.update({_gauge(stream): count for stream, count in found.items()})
        self._report_errors({stream: why for stream, why in answers.items() if isinstance(why, EventLogError)})
        self._forget_equal({stream for stream, now in found.items() if now == known[stream]}, known)
        self._report(
            {stream: PartitionCountChange(known[stream], now) for stream, now in found.items() if now != known[stream]}
        )

    def _forget_equal(self, equal: Collection[Stream], known: Mapping[Stream, int]) -> None:
        """Forget what was reported about streams that are as in the job model now, so that it is reported again."""
        over = {stream: change for stream, change in self._reported.items() if stream in equal}
        self._reported = {stream: change for stream, change in self._reported.items() if stream not in over}
        restored = [stream for stream, change in over.items() if change.before == known[stream]]
        if restored:
            self._on_error(f"{_listed(restored)}: the number of partitions is that of the job model again.")

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


def _gauge(stream: Stream) -> str:
    return f"{stream[0]}-{stream[1]}-partitionCount"


def _listed(streams: Iterable[Stream]) -> str:
    return list_names(sorted(map(".".join, streams)), _MOST_STREAMS)
