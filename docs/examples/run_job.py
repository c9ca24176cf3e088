"""Run a job's coordinator and its containers: ``python run_job.py orders bin/run-container.sh``."""

import json
import os
import signal
import subprocess
import sys
from typing import Any
from urllib.request import urlopen
from uuid import uuid4


def read_start(coordinator: "subprocess.Popen[str]") -> Any:
    """What the coordinator prints when containers can be started. If it ends before that, this program ends too."""
    printed = ""
    for line in coordinator.stdout or ():
        printed += line
        if line == "]\n":
            return json.loads(printed)[0]
    sys.exit(coordinator.wait())


def start_containers(start: Any, command: list[str]) -> "list[subprocess.Popen[bytes]]":
    """A process for each container. With an execution id, a container ends when no coordinator answers any more."""
    url = start["coordinator_url"]
    with urlopen(url) as answer:  # noqa: S310 (http, to the coordinator started here)
        config = json.load(answer)["config"]
    return [
        subprocess.Popen(
            command,
            env={
                **os.environ,
                "SAMZA_COORDINATOR_URL": url,
                "SAMZA_CONTAINER_ID": container_id,
                "JAVA_OPTS": config.get("task.opts", ""),
                "EXECUTION_ENV_CONTAINER_ID": str(uuid4()),
            },
        )
        for container_id in start["preferred_hosts"]
    ]


def main(job: str, *command: str) -> int:
    """Run until all containers have ended, or until SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    running: list[subprocess.Popen[Any]] = []
    try:
        coordinator = subprocess.Popen(
            ["coordstream", "coordinator", "run", job, "--json"], stdout=subprocess.PIPE, text=True
        )
        running.append(coordinator)
        containers = start_containers(read_start(coordinator), list(command))
        running[:0] = containers
        return max(container.wait() for container in containers)
    finally:
        for process in running:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
