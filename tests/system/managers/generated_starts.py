"""Generated sequences of job starts: the number of containers and the inputs change."""

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

from managers.job_models.grouping import BY_SYSTEM_STREAM_PARTITION

STANDBY_FACTOR: Final = "job.standbytasks.replication.factor"
STREAMS: Final = (
    *(("kafka", stream) for stream in ("page-views", "orders", "a", "in", "t\u00e4sk", "x.y", "ad-views", "Z9", "h")),
    *((system, stream) for system in ("other-1", "\u65e5\u672c") for stream in ("orders", "in", "b")),
)
PARTITIONS: Final = (1, 2, 3, 4, 5, 8, 12, 16)
STORE: Final = {"stores.kept.factory": "org.apache.samza.storage.kv.RocksDbKeyValueStorageEngineFactory"}


class Start(NamedTuple):
    """The input of a start: the job's config, and the partitions of each stream."""

    config: dict[str, str]
    counts: dict[tuple[str, str], int]


def life(chance: random.Random) -> Iterator[Start]:
    counts = {stream: chance.choice(PARTITIONS) for stream in STREAMS}
    inputs = chance.sample(STREAMS, chance.choice([1, 1, 2, 3, 6]))
    always = _always(chance)
    for _ in range(chance.choice([1, 2, 3, 4])):
        config = {
            "job.name": "started",
            "task.inputs": ",".join(map(".".join, inputs)),
            "job.container.count": str(chance.choice([1, 2, 2, 3, 4, 5, 7])),
        }
        yield Start(config | always, dict(counts))
        _change(chance, inputs, counts)


def _always(chance: random.Random) -> dict[str, str]:
    settings: dict[str, str] = {}
    if chance.random() < 0.3:
        broadcast = ".".join(chance.choice(STREAMS))
        settings["task.broadcast.inputs"] = chance.choice([f"{broadcast}#0", f"{broadcast}#[0-3]"])
    if chance.random() < 0.25:
        settings["job.systemstreampartition.grouper.factory"] = BY_SYSTEM_STREAM_PARTITION
    if chance.random() < 0.6:
        settings["job.host-affinity.enabled"] = "true"
    if chance.random() < 0.2:
        settings[STANDBY_FACTOR] = chance.choice(["2", "3"])
    if chance.random() < 0.5:
        settings |= STORE
    if chance.random() < 0.1:
        settings["job.systemstreampartition.input.expansion.enabled"] = "false"
    return settings


def _change(chance: random.Random, inputs: list[tuple[str, str]], counts: dict[tuple[str, str], int]) -> None:
    what = chance.random()
    if what < 0.35:
        counts[chance.choice(inputs)] *= chance.choice([2, 2, 3])
    elif what < 0.5 and len(inputs) > 1:
        inputs.remove(chance.choice(inputs))
    elif what < 0.65:
        inputs.append(chance.choice([stream for stream in STREAMS if stream not in inputs]))
