from pathlib import Path

import pytest

from eventlog.events import RecordedEvent
from eventlog.recording import write_recording
from spark_jobs.data_source.columns import SCHEMA
from spark_jobs.data_source.log_reader import parse_options
from spark_jobs.data_source.source import BatchReader
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSettings
from spark_jobs.recordings import find_files
from tests.fixtures.coordstream.command_line import COORDINATOR
from tests.fixtures.data_source import FOLD


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
