"""How two job models of a job differ, in words."""

from collections.abc import Mapping

from eventlog.error_text import list_names
from eventlog.partition import SystemStreamPartition
from managers.job_models.job_model import JobModel
from managers.job_models.jvm_order import text_order

MOST_TASKS = 5


def describe_difference(old: JobModel | None, new: JobModel) -> str:
    """A clause: the tasks that are new, are gone, read other partitions, or run in another container."""
    before = {} if old is None else _tasks(old)
    after = _tasks(new)
    common = before.keys() & after.keys()
    groups = {
        "new tasks": after.keys() - before.keys(),
        "removed tasks": before.keys() - after.keys(),
        "other partitions for": {name for name in common if before[name][0] != after[name][0]},
        "another container for": {name for name in common if before[name][1] != after[name][1]},
    }
    named = {words: sorted(names, key=text_order) for words, names in groups.items() if names}
    clauses = [f"{words} {list_names(names, MOST_TASKS)}" for words, names in named.items()]
    return "; ".join(clauses) or "other containers"


def _tasks(model: JobModel) -> Mapping[str, tuple[frozenset[SystemStreamPartition], str]]:
    return {
        name: (task.partitions, container.processor_id)
        for container in model.containers.values()
        for name, task in container.tasks.items()
    }
