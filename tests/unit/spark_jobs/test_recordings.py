"""Recordings as Spark reads them: their files, the streams in them, and relative paths."""

from pathlib import Path
from typing import Any

import pytest

from eventlog.errors import RecordingError, StreamKindError
from eventlog.events import RecordedEvent
from eventlog.recording import write_recording
from eventlog.recording_spool import CheckedRecording, TopicSummary, check_recording, files_by_topic
from eventlog.secret_policy import SecretPolicy
from projections.fold.settings import FoldSettings
from spark_jobs.data_source.columns import SCHEMA
from spark_jobs.data_source.log_reader import parse_options
from spark_jobs.data_source.source import BatchReader
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSession, LogTaskSettings
from spark_jobs.recordings import find_files, read_files, recorded_streams, summarize
from tests.fixtures.coordstream.command_line import COORDINATOR
from tests.fixtures.data_source import FOLD

TOPICS = ("__samza_coordinator_a_1", "__samza_coordinator_b_1", "__samza_checkpoint_ver_1_for_a_1")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A file with three topics, ten events of each in turn."""
    path = tmp_path / "shared.jsonl"
    records = (
        (topic, RecordedEvent(offset, 1_000, 0, b"%d" % offset, topic.encode()))
        for offset in range(10)
        for topic in TOPICS
    )
    write_recording(path, records)
    return path


def test_the_files_of_a_stream_are_in_the_order_of_their_offsets() -> None:
    late, early = Path("a"), Path("b")
    files = [(late, {TOPICS[0]: TopicSummary(3, 10, 19)}), (early, {TOPICS[0]: TopicSummary(4, 0, 9)})]
    assert [path for path, _ in files_by_topic(files)[TOPICS[0]]] == [early, late]
    assert [stream.weight for stream in recorded_streams(files, None)] == [7]


def test_files_with_the_same_offsets_are_an_error() -> None:
    files = [(Path(name), {TOPICS[0]: TopicSummary(4, 0, 9)}) for name in "ab"]
    with pytest.raises(RecordingError, match="Files 'a' and 'b' have the same offsets of"):
        recorded_streams(files, None)


def test_the_kind_of_a_stream_must_be_known() -> None:
    files = [(Path("a"), {"orders": TopicSummary(1, 0, 0)})]
    with pytest.raises(StreamKindError):
        recorded_streams(files, None)
    assert recorded_streams(files, "checkpoint")[0].stream.stream_kind == "checkpoint"


def test_a_file_with_several_topics_is_read_once_for_all_log_tasks_of_a_spark_task(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = LogTaskSettings("", FoldSettings(SecretPolicy(b"k")))
    with LogTaskSession(settings) as session:
        files = [(shared, summarize(shared, session))]
    streams = recorded_streams(files, None)
    assert all(stream.is_shared for stream in streams)
    opened: list[Path] = []

    def check(path: Path, *rest: Any) -> CheckedRecording:
        opened.append(path)
        return check_recording(path, *rest)

    monkeypatch.setattr("spark_jobs.recordings.check_recording", check)
    with LogTaskSession(settings, streams[1:]) as session:
        for topic in TOPICS[1:]:
            events = list(read_files(topic, files, session))
            assert [event.offset for event in events] == list(range(10))
            assert {event.value for event in events} == {topic.encode()}
        assert opened == [shared]


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_a_path_names_a_file_a_folder_or_a_pattern(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl.gz", "notes.json", "sub/c.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert names(find_files(str(tmp_path / "notes.json"))) == ["notes.json"]
    assert names(find_files(str(tmp_path))) == ["a.jsonl", "b.jsonl.gz", "c.jsonl"]
    assert names(find_files(f"{tmp_path}/*.json*")) == ["a.jsonl", "b.jsonl.gz", "notes.json"]
    assert names(find_files(f"{tmp_path}/**/*.jsonl")) == ["a.jsonl", "c.jsonl"]


@pytest.mark.parametrize(
    ("place", "problem"), [("none", "is no recording"), ("empty", "has no recordings"), ("*.x", "is no recording")]
)
def test_a_path_without_recordings_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, problem: str
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SparkJobError, match=problem):
        find_files(place)


def test_a_relative_path_is_read_by_one_task_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    write_recording(tmp_path / "a.jsonl", [(COORDINATOR, RecordedEvent(at, 0, 0, b"k", b"v")) for at in (0, 10**9)])
    monkeypatch.chdir(tmp_path)
    reader = BatchReader(parse_options({"from": "a.jsonl"}), LogTaskSettings("", FOLD), SCHEMA)
    (partition,) = reader.partitions()
    monkeypatch.chdir(tmp_path / "elsewhere")  # executors have working directories of their own
    assert [batch.num_rows for batch in reader.read(partition)] == [2]
    with pytest.raises(SparkJobError, match=f"'{tmp_path}/none' of the option 'from'"):
        BatchReader(parse_options({"from": f"file://{tmp_path}/none"}), LogTaskSettings("", FOLD), SCHEMA).partitions()


def test_an_empty_path_is_refused() -> None:
    with pytest.raises(SparkJobError, match="The option 'from' is empty"):
        parse_options({"from": ""})
