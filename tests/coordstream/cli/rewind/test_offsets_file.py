"""CSV files of offsets."""

from pathlib import Path

import pytest

from coordstream.cli.rewind.offsets_file import read_offsets_file
from coordstream.errors import CoordstreamError
from eventlog.partition import SystemStreamPartition
from managers.rewind.rewind_targets import Reader
from projections.job_choice import Job

HEADER = "task_name,system_name,stream_name,partition_id"
LINE = "t,kafka,in,0"


def read(path: Path, *lines: str) -> dict[Reader, int]:
    path.write_text("\n".join(lines))
    return read_offsets_file(str(path), Job("j", "1"))


@pytest.mark.parametrize(
    ("columns", "values", "bucket", "offset"),
    [
        ("to_offset", "7", -1, 7),
        ("input_offset", "7", -1, 8),
        ("input_offset,to_offset", "7,3", -1, 3),
        ("key_bucket,to_offset,job_name,job_id,note", "2,7,j,1,x", 2, 7),
        ("key_bucket,to_offset,job_name,job_id", ",7,,", -1, 7),
    ],
)
def test_columns(tmp_path: Path, columns: str, values: str, bucket: int, offset: int) -> None:
    found = read(tmp_path / "f.csv", f"{HEADER},{columns}", f"{LINE},{values}")
    assert found == {("t", SystemStreamPartition("kafka", "in", 0, bucket)): offset}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["task_name,to_offset", "t,1"], "lacks the columns system_name, stream_name, partition_id. Use the output of"),
        ([HEADER, LINE], "lacks the columns to_offset or input_offset. Use the output of"),
        ([], "lacks the columns task_name, system_name, stream_name, partition_id, to_offset or input_offset."),
        ([f"{HEADER},to_offset"], "No offsets in "),
        ([f"{HEADER},to_offset", f"{LINE},x"], "has no whole number as partition_id, key_bucket or to_offset."),
        ([f"{HEADER},to_offset", LINE], "has no whole number as partition_id, key_bucket or to_offset."),
        (["to_offset,system_name,stream_name,partition_id,task_name", "1,k,s,0"], "has fewer values than there are"),
        ([f"{HEADER},to_offset", f"{LINE},1", f"{LINE},2"], ": kafka.in.0 has two offsets. Use one."),
        ([f"{HEADER},to_offset,job_name", f"{LINE},1,k"], "is of job k/1, not of j/1."),
        ([f"{HEADER},to_offset", f'{LINE},"1'], "is not CSV ("),
    ],
)
def test_invalid_files(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(CoordstreamError) as error:
        read(tmp_path / "f.csv", *lines)
    assert message in str(error.value)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(b"\xff")
    with pytest.raises(CoordstreamError, match=r"f\.csv is not UTF-8\. Use the output of"):
        read_offsets_file(str(path), Job("j", "1"))
