"""A result folder appears whole or not at all."""

from pathlib import Path

import pytest

from spark_jobs.errors import SparkJobError
from spark_jobs.output_folder import output_folder


def write(target: Path, text: str, *, overwrite: bool = False) -> None:
    with output_folder(target, "marker", overwrite=overwrite) as folder:
        (folder / "marker").write_text(text)


def test_it_appears_when_the_block_ends_well(tmp_path: Path) -> None:
    target = tmp_path / "new" / "out"
    with output_folder(target, "marker", overwrite=False) as folder:
        (folder / "part").write_text("x")
        assert not target.exists()
    assert [path.name for path in target.iterdir()] == ["part"]
    assert [path.name for path in target.parent.iterdir()] == ["out"]


def test_nothing_is_left_of_a_block_that_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), output_folder(tmp_path / "out", "marker", overwrite=False):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_result_is_replaced_only_when_told_so(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    with pytest.raises(SparkJobError, match="exists: choose another, or give --overwrite"):
        write(tmp_path / "out", "new")
    assert (tmp_path / "out" / "marker").read_text() == "old"
    write(tmp_path / "out", "new", overwrite=True)
    assert (tmp_path / "out" / "marker").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_no_result_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter").write_text("dear")
    (tmp_path / "file").write_text("dear")
    for name in ("home", "file"):
        with pytest.raises(SparkJobError, match="is no earlier result"):
            write(tmp_path / name, "new", overwrite=True)
    assert (tmp_path / "home" / "letter").read_text() == "dear"


def test_an_address_of_another_store_is_refused() -> None:
    with pytest.raises(SparkJobError, match="is no folder of this machine"):
        write(Path("s3://bucket/out"), "new")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SparkJobError, match="cannot be made"):
        write(tmp_path / "file" / "out", "new")
