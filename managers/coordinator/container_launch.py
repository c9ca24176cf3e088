"""What a job coordinator tells whoever starts the containers: environment, preferred hosts, and its URL."""

import re
from collections.abc import Mapping
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.natural_order import natural_order
from managers.assignments.locality_manager import ContainerLocality
from managers.config.job_config import AUTOSIZING, TRACKING_URL, is_autosized, set_config
from managers.job_models.job_model import JobModel
from managers.job_names import Config
from managers.stores.metadata_store import NamespacedStore

CONTAINER_ID: Final = "SAMZA_CONTAINER_ID"
COORDINATOR_URL: Final = "SAMZA_COORDINATOR_URL"
ANY_HOST: Final = "ANY_HOST"

_TASK_OPTIONS: Final = "task.opts"
_TASK_JAVA_HOME: Final = "task.java.home"
_CLASSPATH: Final = "additional.classpath.dir"
_MAX_HEAP: Final = f"{AUTOSIZING}container.maxheap.mb"
_HEAP_OPTION: Final = re.compile(r"-Xmx\S+")


def container_environment(config: Config, url: str, container_id: str) -> dict[str, str]:
    """The environment variables with which a container's process starts (ShellCommandBuilder of Samza)."""
    java_home = {"JAVA_HOME": config[_TASK_JAVA_HOME]} if _TASK_JAVA_HOME in config else {}
    return {
        CONTAINER_ID: container_id,
        COORDINATOR_URL: url,
        "JAVA_OPTS": _java_options(config),
        "ADDITIONAL_CLASSPATH_DIR": config.get(_CLASSPATH, ""),
        **java_home,
    }


def preferred_hosts(model: JobModel, localities: Mapping[str, ContainerLocality]) -> dict[str, str]:
    """The host to request for each container of a job model, standby containers included (ContainerProcessManager).

    It is the last host of the container, else ``ANY_HOST`` (SAMZA-2304).
    """
    return {each: _host(localities.get(each)) for each in sorted(model.containers, key=natural_order)}


def publish_coordinator_url(store: NamespacedStore, url: str, *, clock: Clock = system_clock) -> None:
    """Write the coordinator's URL to the job's config, as Samza's application master does.

    Raises:
        NotReady: the store is not open.
    """
    set_config(store, TRACKING_URL, url, clock=clock)


def _host(locality: ContainerLocality | None) -> str:
    return (locality and locality.preferred_host) or ANY_HOST


def _java_options(config: Config) -> str:
    """``task.opts``, with the heap size of auto-sizing if that is enabled."""
    options = config.get(_TASK_OPTIONS, "")
    if not is_autosized(config) or _MAX_HEAP not in config:
        return options
    heap = f"-Xmx{config[_MAX_HEAP]}m"
    return _HEAP_OPTION.sub(heap, options) if "-Xmx" in options else f"{options} {heap}".strip()
