"""JobServingContext: what a running job coordinator serves, and how its monitors report changes of the inputs."""

from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import Final

from managers.assignments.locality_manager import ContainerLocality
from managers.coordinator.job_attempt import JobAttempt

ReadLocality = Callable[[], Mapping[str, ContainerLocality]]


class JobServingContext:
    """The current attempt of a job, for an HTTP server and monitors (JobModelServingContext of Samza).

    An attempt is replaced as a whole: a reader never sees the config of one and the job model of another. Thread-safe.
    """

    def __init__(self, read_locality: ReadLocality) -> None:
        """``read_locality`` reads the coordinator stream, and may be called in any thread."""
        self._read_locality: Final = read_locality
        self._attempt: JobAttempt | None = None
        self.coordinator_url = ""
        """The URL at which containers reach the HTTP server; empty: there is none."""
        self.input_changes: Final[SimpleQueue[str | None]] = SimpleQueue()
        """Sentences about changed inputs, for the thread of the coordinator; None: stop waiting."""

    @property
    def attempt(self) -> JobAttempt | None:
        """The current attempt; None before the job model is computed (an HTTP server then answers 404)."""
        return self._attempt

    def publish(self, attempt: JobAttempt) -> None:
        """Serve this attempt from now on."""
        self._attempt = attempt

    def read_locality(self) -> Mapping[str, ContainerLocality]:
        """The containers with a known host, by id, at the end of the stream. Raises what the log raises."""
        return self._read_locality()

    def report_input_change(self, sentence: str) -> None:
        """Report that the job's inputs have changed, for example ``kafka.PageViews has 16 partitions instead of 8``.

        Returns at once. The coordinator computes the job model again in its own thread.
        """
        self.input_changes.put(sentence)
