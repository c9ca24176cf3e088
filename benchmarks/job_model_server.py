"""A program that serves a large job model as `coordstream coordinator run` does, without Kafka, until it is ended."""

import signal
from typing import Final

from coordstream.coordinator.http_server import CoordinatorServer
from managers.coordinator.serving_context import JobAttempt, JobServingContext
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel

TASKS: Final = 1_000
CONTAINERS: Final = 20
CONFIG_KEYS: Final = 500


def job_model() -> JobModel:
    """Tasks without inputs, evenly on containers, and the job's config."""
    names = [f"Partition {number}" for number in range(TASKS)]
    tasks = [TaskModel(name, frozenset(), number) for number, name in enumerate(names)]
    on = {str(place): tasks[place::CONTAINERS] for place in range(CONTAINERS)}
    containers = {each: ContainerModel(each, {task.task_name: task for task in held}) for each, held in on.items()}
    return JobModel({f"app.setting.{number}": f"value-{number}" for number in range(CONFIG_KEYS)}, containers)


def main() -> None:
    """Serve, and print the URL."""
    context, model = JobServingContext(dict), job_model()
    context.publish(JobAttempt(model.config, model, JobCoordinatorMetadata("epoch", "1", "2"), frozenset()))
    server = CoordinatorServer(context)
    print(server.start(), flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
