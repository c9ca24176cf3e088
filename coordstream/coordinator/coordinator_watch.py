"""What is served of a coordinator (`coordinator run --metrics-port`)."""

from collections.abc import Iterator

from coordstream.coordinator.process import CoordinatorProcess
from coordstream.http.figures import Figure, gauge


class CoordinatorWatch:
    """The process of a command, which it makes once it has the job's lock."""

    def __init__(self) -> None:
        self._process: CoordinatorProcess | None = None

    def set_process(self, process: CoordinatorProcess) -> None:
        """The command has the lock, and starts the job."""
        self._process = process

    def failures(self) -> Iterator[str]:
        """What does not work, as sentences; nothing while the command waits for the lock."""
        if self._process is not None:
            yield from self._process.failures()

    def figures(self) -> Iterator[Figure]:
        """The metrics."""
        is_active = self._process is not None
        yield gauge("coordinator_active", "1 if this process coordinates the job, 0 while it waits", is_active)
        if self._process is not None:
            yield from self._process.figures()
