"""The files in directories of stores are read by Samza 1.8.0 itself, and the other way round."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.wire.checkpoint_topic import decode_v2, encode_v2
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
from tests.fixtures.samza import Call, Samza
from tests.fixtures.samza_partitions import all_said, partition_of, said

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

CHANGELOG: Final = SystemStreamPartition("kafka", "orders-changelog", 3)
MARKERS: Final = {KAFKA_STATE_BACKEND_FACTORY: {"orders": KafkaStateCheckpointMarker(CHANGELOG, "42").serialise()}}
INPUTS: Final = {SystemStreamPartition("kafka", f"in-{number}", number): str(number) for number in range(100)}
CHECKPOINT: Final = CheckpointV2(CheckpointId(1795251947372, 753329), INPUTS, MARKERS)
TEXTS: Final = ("", "5", "x" * 255, "x" * 1024, "x" * 65535, "x" * 65536, "x" * 200_000, "ж\U0001f680\0" * 400)


def ask(samza: Samza, *calls: Call) -> list[object]:
    return samza.ask("StoreFiles", {}, calls)


def call(what: str, path: Path, **line: Any) -> Call:
    """A call of Samza's own StorageManagerUtil."""
    return Call({"call": what, "directory": str(path), "side input": False, **line})


def write_theirs(directory: Path, changelog: SystemStreamPartition, offset: str) -> Call:
    return call("write offsets", directory, offsets=[[said(changelog), offset]])


def read_theirs(directory: Path, changelog: SystemStreamPartition) -> Call:
    line = call("read offsets", directory, partitions=all_said([changelog])).line
    return Call(line, lambda answer: {partition_of(partition): offset for partition, offset in answer})


def test_both_write_the_same_bytes_and_read_each_other(samza: Samza, tmp_path: Path) -> None:
    theirs, ours = [tmp_path / f"theirs-{n}" for n in range(len(TEXTS))], [tmp_path / f"{n}" for n in range(len(TEXTS))]
    ask(samza, *(call("write text", path, text=text) for path, text in zip(theirs, TEXTS, strict=True)))
    for path, text in zip(ours, TEXTS, strict=True):
        write_with_checksum(path, text)
    assert [path.read_bytes() for path in ours] == [path.read_bytes() for path in theirs]
    assert ask(samza, *(call("read text", path) for path in ours)) == [*TEXTS]
    assert [read_with_checksum(path) for path in theirs] == [*TEXTS]


@pytest.mark.scenario("TCM-20")
def test_both_write_the_same_offset_files(samza: Samza, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for directory in (ours, theirs):
        directory.mkdir()
    write_offset(ours, CHANGELOG, "42")
    assert ask(samza, write_theirs(theirs, CHANGELOG, "42"), read_theirs(ours, CHANGELOG)) == [None, {CHANGELOG: "42"}]
    assert read_offset(theirs, CHANGELOG) == "42"
    assert {path.name for path in ours.iterdir()} == {path.name for path in theirs.iterdir()}


def test_samza_itself_cannot_read_the_offset_of_a_dotted_stream(samza: Samza, tmp_path: Path) -> None:
    dotted = SystemStreamPartition("kafka", "orders.v2-changelog", 3)
    assert ask(samza, write_theirs(tmp_path, dotted, "42"), read_theirs(tmp_path, dotted)) == [None, {}]
    assert read_offset(tmp_path, dotted) == "42"


def test_both_read_the_files_of_older_releases(samza: Samza, tmp_path: Path) -> None:
    for name, text in {LEGACY_OFFSET_FILE: "7", OFFSET_FILE: "9"}.items():
        (tmp_path / name).mkdir()
        write_with_checksum(tmp_path / name / name, text)
        assert (
            ask(samza, read_theirs(tmp_path / name, CHANGELOG))
            == [{CHANGELOG: read_offset(tmp_path / name, CHANGELOG)}]
            == [{CHANGELOG: text}]
        )


def test_both_read_and_write_the_checkpoint_of_a_store(samza: Samza, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for directory in (ours, theirs):
        directory.mkdir()
    write_checkpoint_file(ours, CHECKPOINT)
    write = call("write checkpoint", theirs, checkpoint=encode_v2(CHECKPOINT).decode())
    _, read = ask(samza, write, call("read checkpoint", ours))
    assert decode_v2(str(read).encode()) == CHECKPOINT
    assert read_checkpoint_file(theirs) == CHECKPOINT


@pytest.mark.parametrize("name", [CHECKPOINT_FILE, OFFSET_FILE, LEGACY_OFFSET_FILE, "nothing"])
def test_both_find_the_same_stores_stale(samza: Samza, tmp_path: Path, name: str) -> None:
    written = datetime(2024, 11, 21, tzinfo=UTC)
    (tmp_path / name).touch()
    os.utime(tmp_path / name, (written.timestamp(),) * 2)
    times = [written + timedelta(milliseconds=after) for after in (0, 999, 1000)]
    found = [is_stale(tmp_path, 1000, now) for now in times]
    calls = (call("stale", tmp_path, retention=1000, now=int(now.timestamp() * 1000)) for now in times)
    assert found == ask(samza, *calls)
    assert found == [name == "nothing", name == "nothing", True]
