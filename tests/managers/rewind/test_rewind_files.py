"""Plan files that were edited by hand."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from managers.rewind.rewind_errors import RewindFileError
from managers.rewind.rewind_files import read_rewind_file
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
