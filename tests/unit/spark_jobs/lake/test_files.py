"""Events survive in the files of a lake, which are read in offset order; damage is named. Without Spark."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pyarrow as pa
import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents
from eventlog.timestamps import micros_of, ms_of_micros
from spark_jobs.lake.files import ArchivedEvent, load_lake, read_log, to_batch, write_events, write_manifest
from spark_jobs.lake.manifest import LakeError, LakeFile, LogKey, Manifest, is_lake
from tests.fixtures.object_stores import S3Server

KEY: Final = LogKey("orders (100%) ü", 2)
ARCHIVED_AT: Final = micros_of(datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC))
MS: Final = ms_of_micros(ARCHIVED_AT)
HEADERS: Final = (("a", b"\x00\xff"), ("b", None), ("c\0\ud800", b""))
EVENTS: Final = [
    ArchivedEvent(RecordedEvent(3, MS - 86_400_000, 0, b"k", b"v", HEADERS, 4), ARCHIVED_AT),
    ArchivedEvent(RecordedEvent(7, 2**62, 1, None, None), ARCHIVED_AT),
    ArchivedEvent(RecordedEvent(8, -1, 0, b"", b""), ARCHIVED_AT),
]


def written(output: str, events: list[ArchivedEvent], run: str = "events/run=1") -> LakeFile:
    page = ArchivedEvents([event for event, _ in events], [archived_at for _, archived_at in events])
    return write_events(output, run, KEY, pa.Table.from_batches([to_batch("coordinator", page)]))


def at(*offsets: int) -> list[ArchivedEvent]:
    return [ArchivedEvent(RecordedEvent(offset, MS, 0, b"k", b"v"), ARCHIVED_AT) for offset in offsets]


@pytest.mark.parametrize("place", ["folder", "file", "s3a"])
def test_events_survive(
    tmp_path: Path, place: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = str(tmp_path / "a lake (100%20) ü") if place == "folder" else tmp_path.as_uri()
    if place == "s3a":
        server: S3Server = request.getfixturevalue("s3_server")
        for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
            monkeypatch.setenv(f"AWS_{name}", "test")
        options = f"endpoint_override={server.url.removeprefix('http://')}&scheme=http&region=us-east-1"
        output = f"s3a://{server.bucket()}/lake?{options}"
    file = written(output, EVENTS)
    assert list(read_log(output, [file])) == EVENTS
    assert (file.first_offset, file.last_offset, file.rows) == (3, 8, 3)
    write_manifest(output, Manifest(1, (), (file,)))
    assert load_lake(output).files == (file,)


def test_files_are_read_in_the_order_of_their_offsets(tmp_path: Path) -> None:
    files = [written(str(tmp_path), at(*offsets)) for offsets in ((8, 9), (0, 2, 5), (10,), (6,))]
    assert [event.offset for event, _ in read_log(str(tmp_path), files)] == [0, 2, 5, 6, 8, 9, 10]


def test_a_copy_of_a_task_writes_the_same_files(tmp_path: Path) -> None:
    assert written(str(tmp_path), EVENTS) == written(str(tmp_path), EVENTS)
    assert len(list(tmp_path.rglob("*.parquet"))) == 1


def test_a_changed_and_a_removed_file_are_named(tmp_path: Path) -> None:
    file = written(str(tmp_path), at(0))
    path = tmp_path / file.path
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(LakeError, match=r"the file events/run=1/.*/0{20}\.parquet was changed\. Restore it\."):
        list(read_log(str(tmp_path), [file]))
    path.unlink()
    with pytest.raises(LakeError, match=r"lacks the file events/run=1/.*/0{20}\.parquet \(1 events\)\. Restore it\."):
        list(read_log(str(tmp_path), [file]))


def test_manifests_are_read(tmp_path: Path) -> None:
    output = str(tmp_path)
    assert not is_lake(output)
    with pytest.raises(LakeError, match=r"is not a lake\. Write one with"):
        load_lake(output)
    manifest = Manifest(1, (), (written(output, at(0)),))
    write_manifest(output, manifest)
    killed = tmp_path / "manifests" / ".00000002.json-1a2b"  # a run that was killed while it wrote its manifest
    killed.touch()
    assert is_lake(output)
    assert load_lake(tmp_path.as_uri()).files == manifest.files
    write_manifest(output, replace(manifest, number=2, files=()))
    assert load_lake(output).number == 2
    path = tmp_path / "manifests" / "00000001.json"
    content = path.read_bytes()
    for damaged in (b"", b"{\xff", content[:-9]):
        path.write_bytes(damaged)
        with pytest.raises(LakeError, match=r"^Manifest '.*/manifests/00000001\.json' is damaged"):
            load_lake(output)


@pytest.mark.parametrize("output", ["unknown://host/lake", "mock:///lake\0"])
def test_an_unusable_file_system_is_one_sentence(output: str) -> None:
    assert is_lake(output)
    with pytest.raises(LakeError, match=r"^Lake '.*' cannot be used: .*\.$"):
        load_lake(output)
