"""The files in directories of stores are read by Samza 1.8.0 itself, and the other way round."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from managers.state.store_directories import (
    CHECKPOINT_FILE,
    LEGACY_OFFSET_FILE,
    OFFSET_FILE,
    is_stale,
    read_checkpoint_file,
    read_offset,
    read_with_checksum,
    write_checkpoint_file,
    write_offset,
    write_with_checksum,
)
from tests.fixtures import samza_store_files
from tests.fixtures.samza import Call, Samza

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

CHANGELOG: Final = SystemStreamPartition("kafka", "orders-changelog", 3)
MARKERS: Final = {KAFKA_STATE_BACKEND_FACTORY: {"orders": KafkaStateCheckpointMarker(CHANGELOG, "42").serialise()}}
INPUTS: Final = {SystemStreamPartition("kafka", f"in-{number}", number): str(number) for number in range(100)}
CHECKPOINT: Final = CheckpointV2(CheckpointId(1795251947372, 753329), INPUTS, MARKERS)
TEXTS: Final = ("", "5", "x" * 255, "x" * 1024, "x" * 65535, "x" * 65536, "x" * 200_000, "ж\U0001f680\0" * 400)


def ask(samza: Samza, *calls: Call) -> list[object]:
    return samza.ask(samza_store_files.PROGRAM, {}, calls)


def test_both_write_the_same_bytes_and_read_each_other(samza: Samza, tmp_path: Path) -> None:
    theirs, ours = [tmp_path / f"theirs-{n}" for n in range(len(TEXTS))], [tmp_path / f"{n}" for n in range(len(TEXTS))]
    ask(samza, *(samza_store_files.write_text(path, text) for path, text in zip(theirs, TEXTS, strict=True)))
    for path, text in zip(ours, TEXTS, strict=True):
        write_with_checksum(path, text)
    assert [path.read_bytes() for path in ours] == [path.read_bytes() for path in theirs]
    assert ask(samza, *map(samza_store_files.read_text, ours)) == [*TEXTS]
    assert [read_with_checksum(path) for path in theirs] == [*TEXTS]


@pytest.mark.scenario("TCM-20")
def test_both_write_the_same_offset_files(samza: Samza, tmp_path: Path) -> None:
    offsets = {CHANGELOG: "42"}
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for directory in (ours, theirs):
        directory.mkdir()
    write_offset(ours, CHANGELOG, "42")
    _, read = ask(
        samza,
        samza_store_files.write_offsets(theirs, offsets),
        samza_store_files.read_offsets(ours, [*offsets]),
    )
    assert read == offsets
    assert read_offset(theirs, CHANGELOG) == "42"
    assert {path.name for path in ours.iterdir()} == {path.name for path in theirs.iterdir()}


def test_samza_itself_cannot_read_the_offset_of_a_dotted_stream(samza: Samza, tmp_path: Path) -> None:
    dotted = SystemStreamPartition("kafka", "orders.v2-changelog", 3)
    write, read = samza_store_files.write_offsets(tmp_path, {dotted: "42"}), samza_store_files.read_offsets
    assert ask(samza, write, read(tmp_path, [dotted])) == [None, {}]
    assert read_offset(tmp_path, dotted) == "42"


def test_both_read_the_files_of_older_releases(samza: Samza, tmp_path: Path) -> None:
    for name, text in {LEGACY_OFFSET_FILE: "7", OFFSET_FILE: "9"}.items():
        (tmp_path / name).mkdir()
        write_with_checksum(tmp_path / name / name, text)
        read = samza_store_files.read_offsets(tmp_path / name, [CHANGELOG])
        assert ask(samza, read) == [{CHANGELOG: read_offset(tmp_path / name, CHANGELOG)}] == [{CHANGELOG: text}]


def test_both_read_and_write_the_checkpoint_of_a_store(samza: Samza, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for directory in (ours, theirs):
        directory.mkdir()
    write_checkpoint_file(ours, CHECKPOINT)
    asked = (samza_store_files.write_checkpoint(theirs, CHECKPOINT), samza_store_files.read_checkpoint(ours))
    assert ask(samza, *asked) == [None, CHECKPOINT]
    assert read_checkpoint_file(theirs) == CHECKPOINT


@pytest.mark.parametrize("name", [CHECKPOINT_FILE, OFFSET_FILE, LEGACY_OFFSET_FILE, "nothing"])
def test_both_find_the_same_stores_stale(samza: Samza, tmp_path: Path, name: str) -> None:
    written = datetime(2024, 11, 21, tzinfo=UTC)
    (tmp_path / name).touch()
    os.utime(tmp_path / name, (written.timestamp(),) * 2)
    times = [written + timedelta(milliseconds=after) for after in (0, 999, 1000)]
    found = [is_stale(tmp_path, 1000, now) for now in times]
    assert found == ask(samza, *(samza_store_files.is_stale(tmp_path, 1000, now) for now in times))
    assert found == [name == "nothing", name == "nothing", True]
