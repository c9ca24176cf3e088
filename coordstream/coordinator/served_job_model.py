"""The job model in JSON, as a job coordinator serves it."""

from dataclasses import dataclass
from threading import Lock
from typing import Final

from managers.coordinator.serving_context import JobAttempt, JobServingContext
from managers.job_models.job_model_json import job_model_to_json


@dataclass
class RequestCounts:
    """How many requests for the job model came in, and how they were answered (BaseServerMetrics of Samza)."""

    incoming_requests: int = 0
    successful_responses: int = 0
    failed_responses: int = 0


class ServedJobModel:
    """Encodes the job model of the current attempt once, however often it is read (SAMZA-2439). Thread-safe."""

    def __init__(self, context: JobServingContext) -> None:
        self._context: Final = context
        self._lock: Final = Lock()
        self._encoded: tuple[JobAttempt, bytes] | None = None

    def json(self) -> bytes | None:
        """The JSON of the current attempt's job model; None before it is computed."""
        attempt = self._context.attempt
        if attempt is None:
            return None
        with self._lock:
            if self._encoded is None or self._encoded[0] is not attempt:
                self._encoded = (attempt, job_model_to_json(attempt.job_model))
            return self._encoded[1]
