"""A log is read from files of a lake in offset order, without Spark."""

import hashlib
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import pyarrow as pa
import pytest
from pyarrow import parquet

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents
from eventlog.timestamps import micros_of, ms_of_micros
from spark_jobs.lake.files import ARROW_SCHEMA, ArchivedEvent, load_lake, logs_in, read_log, to_batch
from spark_jobs.lake.manifest import LakeError, LakeFile, LogKey, Manifest, is_lake, to_json

KEY = LogKey("orders", 1)


def written(folder: Path, name: str, offsets: list[int]) -> LakeFile:
    events = [RecordedEvent(offset, offset, 0, b"k", b"v") for offset in offsets]
    batch = to_batch(KEY, "coordinator", ArchivedEvents(events, [7] * len(events)))
    parquet.write_table(pa.Table.from_batches([batch]), folder / name)
    content = (folder / name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return LakeFile(name, len(content), digest, *KEY, len(offsets), offsets[0], offsets[-1])


def test_files_that_overlap_are_merged(tmp_path: Path) -> None:
    files = [
        written(tmp_path, name, offsets)
        for name, offsets in (("c", [8, 9]), ("a", [0, 2, 5]), ("b", [1, 3]), ("d", [6]))
    ]
    events = list(read_log(str(tmp_path), files))
    assert [event.offset for event, _ in events] == [0, 1, 2, 3, 5, 6, 8, 9]
    assert {archived_at for _, archived_at in events} == {7}
    assert [event.offset for event, _ in read_log(tmp_path.as_uri(), files[:1])] == [8, 9]


def test_a_changed_and_a_removed_file_are_noticed(tmp_path: Path) -> None:
    file = written(tmp_path, "a", [0])
    (tmp_path / "a").write_bytes(b"other")
    with pytest.raises(LakeError, match="the file a was changed"):
        list(read_log(str(tmp_path), [file]))
    (tmp_path / "a").unlink()
    with pytest.raises(LakeError, match="lacks the file a"):
        list(read_log(str(tmp_path), [file]))


def test_manifests_are_read(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match=r"The manifests of lake .* cannot be read"):
        load_lake(str(tmp_path))
    folder = tmp_path / "manifests" / "00000001"
    folder.mkdir(parents=True)
    with pytest.raises(LakeError, match="is not a lake"):
        load_lake(str(tmp_path))
    manifest = Manifest(1, "2026-01-01T00:00:00+00:00", (), (written(tmp_path, "a", [0]),))
    (folder / "part-0.txt").write_text(to_json(manifest))
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.txt.crc").write_bytes(b"crc")
    assert load_lake(tmp_path.as_uri()).files == manifest.files
    for damaged in (b"", b"{\xff", to_json(manifest).encode()[:-9]):
        (folder / "part-0.txt").write_bytes(damaged)
        with pytest.raises(LakeError, match=r"^Manifest '.*/manifests/00000001/part-0.txt' is damaged"):
            load_lake(str(tmp_path))


def test_a_folder_with_manifests_is_a_lake(tmp_path: Path) -> None:
    assert not is_lake(str(tmp_path))
    (tmp_path / "manifests").mkdir()
    assert is_lake(str(tmp_path))
    assert is_lake(tmp_path.as_uri())
    assert is_lake("s3a://bucket/lake")


def test_a_manifest_that_a_killed_run_has_not_committed_is_not_read(tmp_path: Path) -> None:
    manifest = Manifest(1, "2026-01-01T00:00:00+00:00", (), (written(tmp_path, "a", [0]),))
    committed = tmp_path / "manifests" / "00000001"
    attempt = tmp_path / "manifests" / "00000002" / "_temporary" / "0" / "_temporary" / "attempt_0"
    for folder in (committed, attempt):
        folder.mkdir(parents=True)
    (committed / "part-0.txt").write_text(to_json(manifest))
    (attempt / "part-0.txt").touch()
    assert load_lake(str(tmp_path)).files == manifest.files


ARCHIVED_AT: Final = micros_of(datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC))
MS: Final = ms_of_micros(ARCHIVED_AT)
HEADERS: Final = (("a", b"\x00\xff"), ("b", None), ("c\0\ud800", b""))
EVENTS: Final = [
    ArchivedEvent(RecordedEvent(3, MS - 86_400_000, 0, b"k", b"v", HEADERS, 4), ARCHIVED_AT),
    ArchivedEvent(RecordedEvent(7, 2**62, 1, None, None), ARCHIVED_AT),
    ArchivedEvent(RecordedEvent(8, -1, 0, b"", b""), ARCHIVED_AT),
]
ORDERS: Final = LogKey("orders", 2)
COUNTS: Final = LogKey("counts", 1)


def page(events: list[ArchivedEvent]) -> ArchivedEvents:
    return ArchivedEvents([event for event, _ in events], [archived_at for _, archived_at in events])


def test_events_survive() -> None:
    batches = [
        to_batch(COUNTS, "coordinator", page(EVENTS[:1])),
        to_batch(ORDERS, "coordinator", page(EVENTS[:2])),
        to_batch(ORDERS, "coordinator", page(EVENTS[2:])),
    ]
    whole = pa.Table.from_batches(batches).combine_chunks().to_batches()
    for given in (batches, whole):
        assert [(key, list(events)) for key, events in logs_in(given)] == [(COUNTS, EVENTS[:1]), (ORDERS, EVENTS)]


def test_a_batch_without_events_has_the_columns() -> None:
    assert to_batch(ORDERS, "coordinator", page([])).schema == ARROW_SCHEMA


@pytest.mark.parametrize(
    ("timestamp", "day"),
    [
        (MS - 86_400_000, date(2026, 3, 3)),
        (MS + 3_600_000, date(2026, 3, 4)),
        (MS + 86_400_000, date(2026, 3, 4)),
        (-1, date(2026, 3, 4)),
        (2**62, date(2026, 3, 4)),
    ],
)
def test_an_absurd_time_counts_as_the_day_of_archiving(timestamp: int, day: date) -> None:
    batch = to_batch(
        ORDERS, "coordinator", page([ArchivedEvent(RecordedEvent(0, timestamp, 0, None, None), ARCHIVED_AT)])
    )
    assert batch.column("day").to_pylist() == [day]
