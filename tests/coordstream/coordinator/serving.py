"""Contexts of a job coordinator with plain values, for tests of what it serves."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from coordstream.coordinator.containers_server import CoordinatorServer
from managers.assignments.job_model_assignments import ContainerLocality
from managers.coordinator.serving_context import JobAttempt, JobServingContext, ReadLocality
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata
from managers.job_models.job_model import JobModel

METADATA: Final = JobCoordinatorMetadata("epoch", "1", "2")


def attempt_of(model: JobModel) -> JobAttempt:
    """An attempt with this job model."""
    read = {each for task in model.tasks.values() for each in task.partitions}
    counts = Counter((each.system, each.stream) for each in read)
    return JobAttempt(model.config, model, METADATA, frozenset(), counts)


def context_of(model: JobModel | None = None, read_locality: ReadLocality = dict) -> JobServingContext:
    """A context that serves a job model, if there is one."""
    context = JobServingContext(read_locality)
    if model is not None:
        context.attempt = attempt_of(model)
    return context


def localities(hosts: Mapping[str, str]) -> dict[str, ContainerLocality]:
    """The localities of containers, by id."""
    return {each: ContainerLocality(each, host) for each, host in hosts.items()}


@contextmanager
def running(server: CoordinatorServer) -> Iterator[CoordinatorServer]:
    """The server, from start to stop."""
    server.start()
    try:
        yield server
    finally:
        server.stop()
