import pytest

from coordstream.cli.job.logs import open_job_logs, streams_of
from coordstream.errors import CoordstreamError
from eventlog.streams import StreamKind, identify
from tests.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics

STREAMS = [
    identify(name)
    for name in (
        "__samza_coordinator_a-b_1",
        "__samza_checkpoint_ver_1_for_a-b_1",
        "__samza_coordinator_c_2",
        "__samza_checkpoint_ver_1_for_d_1",
        "__samza_checkpoint_ver_1_for_d_2",
    )
]


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("a_b", {"coordinator", "checkpoint"}),
        ("a-b/1", {"coordinator", "checkpoint"}),
        ("c", {"coordinator"}),
        ("d/2", {"checkpoint"}),
    ],
)
def test_a_word_names_the_streams_of_a_job(word: str, kinds: set[StreamKind]) -> None:
    found = streams_of(STREAMS, word)
    assert {stream.stream_kind for stream in found} == kinds
    assert len({stream.suffix for stream in found}) == 1


def test_another_word_is_told() -> None:
    with pytest.raises(CoordstreamError, match="no job 'x' in the database: it has a-b/1, c/2, d/1, d/2"):
        streams_of(STREAMS, "x")
    with pytest.raises(CoordstreamError, match="'d' names several jobs: write one of d/1, d/2"):
        streams_of(STREAMS, "d")
    with pytest.raises(CoordstreamError, match="no job 'x' in Kafka at b:1: it has"):
        streams_of(STREAMS, "x", "Kafka at b:1")
    with pytest.raises(CoordstreamError, match="Kafka at b:1 has no stream of a job"):
        streams_of([], "x", "Kafka at b:1")
    with pytest.raises(CoordstreamError, match="the database holds no log yet"):
        streams_of([], "x")


def test_logs_are_opened_in_postgres(wordcount: CommandLine) -> None:
    with open_job_logs("wordcount_pv") as logs:
        assert logs.coordinator is not None
        assert logs.checkpoint is not None
        assert (logs.coordinator.end_offset(), logs.checkpoint.end_offset()) == (427, 388)
        assert str(logs.job) == "wordcount-pv/1"


def test_logs_are_opened_on_brokers(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str, job_name: str
) -> None:
    with open_job_logs(job_name) as logs:
        assert logs.coordinator is not None
        assert (logs.coordinator.stream_name, logs.checkpoint) == (coordinator_topic, None)
