"""The tail of a log whose events are applied by executors."""

from collections.abc import Callable

from projections.batch_writes import Meanwhile
from projections.follow.tail import EventBuffer, Progress, Tail
from projections.projector import Projector
from projections.tracked_logs import TrackedLog
from spark_jobs.follow.executor import RangeResult

TakeResults = Callable[[str], list[RangeResult]]


class MicroBatchTail(Tail):
    """See `Tail`. `take_results` returns the results of a stream's ranges since its last call, in order."""

    def __init__(
        self, log: TrackedLog, projector: Projector, target: int, until: int | None, take_results: TakeResults
    ) -> None:
        super().__init__(log, projector, target, until)
        self.buffer = _Results(projector.next_offset)
        self._take_results = take_results

    def apply(self, meanwhile: Meanwhile = lambda: None) -> Progress:  # noqa: ARG002 (executors store the events)
        """Move the position to where executors have moved it. Raises the error of a range that was not applied."""
        first = self.position
        self.buffer.pop_batch()
        results = self._take_results(self.stream_name)
        for result in results:
            result.raise_error()
            self._projector.next_offset = result.next_offset
        events = sum(result.events for result in results)
        timestamp = results[-1].timestamp if results else None
        return Progress(self.stream_name, self.state, events, first, self.position, self.target, timestamp)


class _Results(EventBuffer):
    """Results are applied at once."""

    @property
    def is_full(self) -> bool:
        return bool(self)
