from pathlib import Path

import pytest

from spark_jobs.coordinator_stream.recording_files import find_files
from spark_jobs.errors import SparkJobError


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
    ("place", "problem"), [("none", "does not exist"), ("empty", "has no recordings"), ("*.x", "has no recordings")]
)
def test_a_path_without_recordings_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, problem: str
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SparkJobError, match=problem):
        find_files(place)
