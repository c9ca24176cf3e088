"""StreamRegexMonitor: notices new streams that match the patterns of a job's inputs."""

from collections.abc import Callable, Collection
from typing import Final

from eventlog.errors import EventLogError
from managers.coordinator.periodic_check import OnFailure, PeriodicCheck
from managers.coordinator.stream_partition_count_monitor import DEFAULT_SECONDS, Stream
from managers.job_models.inputs import input_patterns
from managers.job_names import Config


class StreamRegexMonitor:
    """Compares the streams that match the patterns of config rewriters with those of the job model (Samza's class).

    ``gauges`` has the number of new streams of each system, under Samza's names.
    """

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
        """Watch the systems that have a rewriter with a pattern.

        ``known_streams`` are read at each check, ``stream_names`` lists the streams of a system. ``on_change`` gets all
        new streams, sorted, whenever they have changed; ``on_error`` gets why a system could not be asked, once while
        the reason stays the same, and a sentence when it can be asked again. ``on_failure`` gets an unexpected error,
        after which the next check is made as usual.

        Raises:
            ConfigError: a pattern is not a regular expression.
        """
        self._patterns: Final = input_patterns(config)
        self._known_streams: Final = known_streams
        self._stream_names: Final = stream_names
        self._on_change: Final = on_change
        self._on_error: Final = on_error
        self._periodic: Final = PeriodicCheck(
            type(self).__name__,
            self.check,
            seconds if self._patterns else 0,
            first_after=0,
            on_failure=on_failure,
        )
        self._reported: list[Stream] = []
        self.errors: Final[dict[str, EventLogError]] = {}
        """Why the streams of systems could not be listed at the last check."""
        self.gauges: Final[dict[str, int]] = {_gauge(system): 0 for system in self._patterns}

    @property
    def failure(self) -> Exception | None:
        """The unexpected error of the last check; None: there was none."""
        return self._periodic.failure

    def start(self) -> None:
        """Check at once, then regularly; never without patterns. Starting twice changes nothing.

        Raises:
            NotReady: the monitor was stopped.
        """
        self._periodic.start()

    def stop(self) -> None:
        """Stop for good."""
        self._periodic.stop()

    def check(self) -> None:
        """Ask for the streams of each system now, update the gauges, and report new streams."""
        known = set(self._known_streams())
        new = {system: self._matching(system) - known for system in self._patterns}
        self.gauges.update({_gauge(system): len(found) for system, found in new.items()})
        found = sorted(set().union(*new.values()))
        if found and found != self._reported:
            self._on_change(found)
        self._reported = found

    def _matching(self, system: str) -> set[Stream]:
        try:
            names = self._stream_names(system)
        except EventLogError as error:
            self._report_error(system, error)
            return {stream for stream in self._reported if stream[0] == system}
        if self.errors.pop(system, None):
            self._on_error(f"The streams of system {system} can be listed again.")
        patterns = self._patterns[system]
        return {(system, name) for name in names if any(pattern.fullmatch(name) for pattern in patterns)}

    def _report_error(self, system: str, error: EventLogError) -> None:
        is_new = str(self.errors.get(system)) != str(error)
        self.errors[system] = error
        if is_new:
            self._on_error(f"Cannot list the streams of system {system}: {error}")


def _gauge(system: str) -> str:
    return f"{system}-new-input-streams"
