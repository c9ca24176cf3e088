"""A Kafka cluster is asked, and answers, as by Samza 1.8.0's own KafkaSystemAdmin."""

import itertools
from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from tests.fixtures import samza_inputs as asked
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Samza

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

#: Deleted from, and not by age, since the records are of 1970.
INPUT: Final = {"cleanup.policy": "delete", "retention.ms": "-1"}
TIMES: Final = [1000, 1000, 1500, 1200, 2000, 2000, 2500, 3000]
STARTPOINTS: Final[list[Startpoint]] = [
    StartpointOldest(1),
    StartpointUpcoming(1),
    StartpointSpecific("3", 1),
    StartpointSpecific("999", 1),
    StartpointSpecific("any text", 1),
    StartpointSpecific(None, 1),
    *(StartpointTimestamp(time, 1) for time in (0, 999, 1000, 1001, 1200, 1501, 2000, 2999, 3000, 3001, 2**60)),
]
OFFSETS: Final = ["-1", "0", "1", "9", "10", "9223372036854775806"]


@pytest.fixture
def stream_names(topics: Topics, job_name: str) -> list[str]:
    """One whose first partition has lost its first records, the second none, and the third never had any; one that
    has lost all of its records.
    """
    shortened = topics.create(f"{job_name}-in.2024.5", INPUT, partitions=3)
    emptied = topics.create(f"{job_name}-emptied", INPUT)
    for name, number in ((shortened, 0), (shortened, 1), (emptied, 0)):
        topics.write(name, [NewEvent(None, b"", time) for time in TIMES], partition=number)
    topics.delete_before(shortened, 3)
    topics.delete_before(emptied, len(TIMES))
    return [shortened, emptied]


def test_both_answer_the_same(samza: Samza, system: KafkaSystemAdmin, stream_names: list[str], job_name: str) -> None:
    shortened, emptied = stream_names
    partitions = [SystemStreamPartition("kafka", shortened, number) for number in range(3)]
    cases = list(itertools.product([*partitions, SystemStreamPartition("kafka", emptied, 0)], STARTPOINTS))
    pairs = list(itertools.product(OFFSETS, repeat=2))
    calls = [
        *map(asked.metadata, stream_names),
        *(asked.resolve(*each) for each in cases),
        *(asked.after(partitions[0], offset) for offset in OFFSETS),
        *(asked.compare(*each) for each in pairs),
    ]
    ours = [
        *system.get_system_stream_metadata(stream_names).values(),
        *(system.resolve_startpoint_to_offset(*each) for each in cases),
        *(system.get_offsets_after({partitions[0]: offset})[partitions[0]] for offset in OFFSETS),
        *(asked.sign(system.offset_comparator(*each)) for each in pairs),
    ]
    assert ours == samza.ask(asked.PROGRAM, samza.config(job_name), calls)
