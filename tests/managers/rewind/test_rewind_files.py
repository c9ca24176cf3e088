"""Files of rewinds: written, read, damaged, or edited by hand."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import pytest

from managers.rewind.rewind_errors import RewindFileError
from managers.rewind.rewind_files import read_rewind_file, write_rewind_file
from managers.rewind.rewind_plan import RewindPlan

MOVE: Final[dict[str, Any]] = {
    "task_name": "t",
    "system_name": "kafka",
    "stream_name": "in",
    "partition_id": 0,
    "key_bucket": -1,
    "decided_by": "checkpoint",
    "startpoint_type": None,
    "startpoint_value": None,
    "checkpoint_offset": "4",
    "from_offset": 5,
    "to_offset": 3,
    "requested_offset": 3,
    "finding": None,
    "is_counted": True,
    "bytes": 1,
    "records_again": 2,
    "records_skipped": 0,
    "seconds_to_catch_up": None,
    "stores": ["counts"],
}


def read(path: Path, *moves: dict[str, Any]) -> RewindPlan:
    plan = {"job_name": "j", "job_id": "1", "target": "offset 3", "made_at": "2026-01-01T00:00:00Z"}
    path.write_text(json.dumps({**plan, "coordinator_stream": "c", "log_offset": 0, "moves": moves}))
    return read_rewind_file(path, RewindPlan)[0]


@pytest.mark.parametrize(
    ("moves", "place"),
    [
        ([], "moves"),
        ([MOVE, {**MOVE, "to_offset": 4}], "moves"),
        ([{**MOVE, "to_offset": True}], "moves.0.to_offset"),
        ([{**MOVE, "to_offset": "3"}], "moves.0.to_offset"),
        ([{**MOVE, "to_offset": -1}], "moves.0.to_offset"),
    ],
)
def test_a_plan_without_one_target_for_each_partition_is_refused(
    tmp_path: Path, moves: list[dict[str, Any]], place: str
) -> None:
    assert read(tmp_path / "plan.json", MOVE).moves[0].to_offset == 3
    with pytest.raises(RewindFileError, match=f": {place} is missing or invalid"):
        read(tmp_path / "plan.json", *moves)


WHOLE: Final[dict[str, Any]] = {
    "format": "coordstream-rewind-plan",
    "version": 1,
    "job_name": "j",
    "job_id": "1",
    "target": "offset 3",
    "made_at": "2026-01-01T00:00:00Z",
    "coordinator_stream": "c",
    "log_offset": 0,
    "moves": [MOVE],
}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"version": 2}, "version"),
        ({"format": "coordstream-rewind-undo"}, "format"),
        ({"log_offset": -1}, "log_offset"),
        ({"log_offset": "many"}, "log_offset"),
        ({"made_at": "2026-01-01T00:00:00"}, "made_at"),
        ({"coordinator_stream_id": 7}, "coordinator_stream_id"),
        ({"job_name": None}, "job_name"),
        ({"unknown": 1}, "unknown"),
        ({"moves": [{**MOVE, "finding": "lost"}]}, "moves.0.finding"),
        ({"moves": [{**MOVE, "unknown": 1}]}, "moves.0.unknown"),
    ],
)
def test_another_version_or_a_wrong_value_is_refused(tmp_path: Path, change: dict[str, Any], place: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**WHOLE, **change}))
    with pytest.raises(RewindFileError) as error:
        read_rewind_file(path, RewindPlan)
    assert str(error.value) == (
        f"'{path}' is not a valid coordstream-rewind-plan (version 1): {place} is missing or invalid. "
        "Name a file that `coordstream rewind plan` wrote."
    )


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", json.dumps(WHOLE).encode()[:-9], b"[]"])
def test_a_damaged_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(data)
    with pytest.raises(RewindFileError, match="its JSON is missing or invalid"):
        read_rewind_file(path, RewindPlan)


def test_a_file_is_written_whole_and_read_again(tmp_path: Path) -> None:
    path, given = tmp_path / "plan.json", RewindPlan.model_validate_json(json.dumps(WHOLE))
    write_rewind_file(path, given, may_replace=False)
    written = path.read_bytes()
    assert read_rewind_file(path, RewindPlan) == (given, hashlib.sha256(written).hexdigest())
    with pytest.raises(RewindFileError, match=r"plan\.json' exists\. Use another name, or delete it\.$"):
        write_rewind_file(path, given, may_replace=False)
    write_rewind_file(path, given.model_copy(update={"target": "latest"}), may_replace=True)
    assert read_rewind_file(path, RewindPlan)[0].target == "latest"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing.json", "no such file or directory"), ("", "is a directory")],
    ids=["missing", "folder"],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name
    with pytest.raises(RewindFileError) as error:
        read_rewind_file(path, RewindPlan)
    assert str(error.value) == f"Cannot access '{path}': {reason}."


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    path, given = tmp_path / "nothing" / "plan.json", RewindPlan.model_validate_json(json.dumps(WHOLE))
    with pytest.raises(RewindFileError, match=r"^Cannot access '.*plan\.json': no such file or directory\.$"):
        write_rewind_file(path, given, may_replace=False)
