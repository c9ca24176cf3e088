"""The metrics of a running coordinator."""

from collections.abc import Iterator
from typing import Final

from coordstream.http.figures import Figure, counter, gauge
from managers.coordinator.serving_context import JobAttempt
from managers.job_models.job_coordinator_metadata import MetadataMetrics

_STEPS: Final = ("generation", "read", "write")


def attempt_figures(attempt: JobAttempt | None) -> Iterator[Figure]:
    """The size of the job model; nothing before it is computed."""
    if attempt is not None:
        model = attempt.job_model
        yield gauge("coordinator_containers", "Containers of the job model", len(model.containers))
        yield gauge("coordinator_tasks", "Tasks of the job model", len(model.tasks))


def metadata_figures(metrics: MetadataMetrics) -> Iterator[Figure]:
    """What Samza's JobCoordinatorMetadataManager counts. A gauge is 1 after the change, until the process ends."""
    attempts = metrics.application_attempt_count
    yield counter("coordinator_application_attempts", "Starts of the same deployment without a change", attempts)
    yield gauge("coordinator_new_deployment", "1 if the process started a new deployment", metrics.new_deployment)
    yield gauge("coordinator_job_model_changed", "1 if a deployment's job model changed", metrics.job_model_changed)
    yield gauge("coordinator_config_changed", "1 if a deployment's config changed", metrics.config_changed)
    counts = (
        metrics.metadata_generation_failed_count,
        metrics.metadata_read_failed_count,
        metrics.metadata_write_failed_count,
    )
    values = [((step,), count) for step, count in zip(_STEPS, counts, strict=True)]
    yield Figure("coordinator_metadata_failures", "Failed steps of metadata", values, ("step",), is_counter=True)
