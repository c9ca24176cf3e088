from pathlib import Path
from typing import Any

import pytest

from eventlog.errors import RecordingError, StreamKindError
from eventlog.events import RecordedEvent
from eventlog.recording import write_recording
from eventlog.recording_spool import CheckedRecording, TopicSummary, check_recording, files_by_topic
from eventlog.secret_policy import SecretPolicy
from projections.fold.settings import FoldSettings
from spark_jobs.log_task import LogTaskSession, LogTaskSettings
from spark_jobs.recordings import read_files, recorded_streams, summarize

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
