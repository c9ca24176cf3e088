"""Events survive in a lake, and what other programs do to its table is named. Without Spark or a database."""

import json
import os
import pwd
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents
from eventlog.timestamps import micros_of, ms_of_micros
from spark_jobs.lake.log_files import LogFiles, pages_of, to_table, write_events
from spark_jobs.lake.table import LakeError, LakeLog, LogKey, commit_run, create_lake, lake_uri, open_lake
from spark_jobs.place import is_lake

KEY: Final = LogKey("orders (100%) ü", 2)
ARCHIVED_AT: Final = micros_of(datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC))


def add_events(output: str, *files: Sequence[RecordedEvent], key: LogKey = KEY) -> LogFiles:
    """Add files of events of one log in one run, and return the log as the lake has it then."""
    create_lake(output)
    lake = open_lake(output)
    known = lake.logs[key].events if key in lake.logs else 0
    count = known + sum(map(len, files))
    names = (key.stream_name, "coordinator", key.incarnation, "kafka", "cluster", None, "2026-01-01T00:00:00+00:00")
    facts: dict[str, Any] = {"is_current": True, "is_complete": True, "observations": [], "horizon": None}
    log = LakeLog(*names, **facts, next_offset=files[-1][-1].offset + 1, events=count)
    pages = (ArchivedEvents(list(events), [ARCHIVED_AT] * len(events)) for events in files)
    added = [write_events(lake.uri, key, to_table(key, "coordinator", [page])) for page in pages]
    commit_run(lake, added, [log])
    return LogFiles.of(open_lake(output), key)


def events_of(log: LogFiles) -> list[RecordedEvent]:
    """All events of a log, with compared fingerprints. Raises LakeError."""
    pages = [page for batch in log.batches() for page in pages_of(batch)]
    assert all(at == ARCHIVED_AT for page in pages for at in page.archived_at)
    return [event for page in pages for event in page.events]


MS: Final = ms_of_micros(ARCHIVED_AT)
CHANGED: Final = "are not those that were archived"
HEADERS: Final = (("a", b"\x00\xff"), ("b", None), ("c\0\ud800", b""))
EVENTS: Final = [
    RecordedEvent(3, MS - 86_400_000, 0, b"k", b"v", HEADERS, 4),
    RecordedEvent(7, 2**62, 1, None, None),
    RecordedEvent(8, -1, 0, b"", b""),
]


def at(*offsets: int) -> list[RecordedEvent]:
    return [RecordedEvent(offset, MS, 0, b"k", b"value %d" % offset) for offset in offsets]


def offsets_in(log: LogFiles) -> list[int]:
    return [event.offset for event in events_of(log)]


@pytest.mark.parametrize("place", ["folder", "file"])
def test_events_survive(tmp_path: Path, place: str) -> None:
    output = str(tmp_path / "a lake & (100) ü") if place == "folder" else tmp_path.as_uri()
    assert events_of(add_events(output, EVENTS)) == EVENTS
    log = add_events(output, at(9, 11), at(12))
    assert events_of(log) == EVENTS + at(9, 11, 12)
    lake = open_lake(output)
    assert (lake.run, lake.position(KEY), lake.position(LogKey("none", 1))) == (2, 13, 0)


def test_files_are_read_in_the_order_of_their_offsets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = add_events(str(tmp_path), at(8, 9), at(0, 2, 5), at(10), at(6))
    assert offsets_in(log) == [0, 2, 5, 6, 8, 9, 10]
    monkeypatch.setattr("spark_jobs.lake.log_files._WINDOW_BYTES", 1)
    assert offsets_in(log) == [0, 2, 5, 6, 8, 9, 10]
    (tmp_path / log.files[0].path).unlink()
    assert [table["log_offset"].to_pylist() for table in log.read(6, 10)] == [[6], [8, 9]]


def test_a_changed_byte_never_changes_an_event(tmp_path: Path) -> None:
    log = add_events(str(tmp_path), EVENTS)
    path = tmp_path / log.files[0].path
    content = path.read_bytes()
    refused = 0
    for position in range(0, len(content), 7):
        path.write_bytes(content[:position] + bytes([content[position] ^ 4]) + content[position + 1 :])
        try:
            assert events_of(log) == EVENTS
        except LakeError:
            refused += 1
    assert refused > 30


def flip_a_bit(output: Path, log: LogFiles) -> None:
    path = output / log.files[0].path
    content = path.read_bytes()
    path.write_bytes(content.replace(b"value 0", b"value 2"))


def append(output: Path, log: LogFiles) -> None:
    other = to_table(KEY, "coordinator", []).append_column("stream_name", pa.array([], pa.string()))
    row = {**dict.fromkeys(other.column_names), "stream_name": KEY.stream_name, "incarnation": 2, "log_offset": 100}
    write_deltalake(output, pa.Table.from_pylist([row], other.schema), mode="append", schema_mode="merge")


def vacuum_an_older_version(output: Path, log: LogFiles) -> None:
    """As a vacuum of all that no commit had yet, while a run wrote its files."""
    DeltaTable(output).restore(1)
    DeltaTable(output).vacuum(0, dry_run=False, enforce_retention_duration=False)
    DeltaTable(output).restore(2, ignore_missing_files=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (flip_a_bit, f"events of the offsets 0 to 5 {CHANGED}"),
        (append, f"events of the offsets 100 to 100 {CHANGED}"),
        (
            lambda output, _: write_deltalake(output, DeltaTable(output).to_pyarrow_table(), mode="append"),
            f"events of the offsets 0 to 5 {CHANGED}",
        ),
        (lambda output, _: DeltaTable(output).delete("log_offset >= 5"), f"events of the offsets 0 to 2 {CHANGED}"),
        (lambda output, _: DeltaTable(output).restore(1), "there are 3 events instead of 5"),
        (vacuum_an_older_version, r"a file was removed or changed \(.*2-0*8-.*\.parquet.*\)"),
    ],
)
def test_what_another_program_has_done_is_named(
    tmp_path: Path, change: Callable[[Path, LogFiles], None], sentence: str
) -> None:
    output = str(tmp_path)
    add_events(output, at(0, 2, 5))
    change(tmp_path, add_events(output, at(8, 9)))
    with pytest.raises(LakeError, match=rf"^Lake '{tmp_path}', orders .* \(incarnation 2\): {sentence}\. Restore the"):
        events_of(LogFiles.of(open_lake(output), KEY))


def test_a_compacted_and_vacuumed_table_has_the_same_events(tmp_path: Path) -> None:
    add_events(str(tmp_path), at(8, 9), at(0, 2, 5))
    add_events(str(tmp_path), at(10), at(6))
    other = add_events(str(tmp_path), at(3), key=LogKey(KEY.stream_name, 1))
    table = DeltaTable(tmp_path)
    table.optimize.z_order(["archived_at", "value"])
    assert table.vacuum(0, dry_run=False, enforce_retention_duration=False)
    lake = open_lake(str(tmp_path))
    assert len(lake.files_of(KEY)) == 1
    assert lake.position(KEY) == 7
    assert offsets_in(LogFiles.of(lake, other.log.key)) == [3]


def test_of_two_runs_at_once_one_is_refused(tmp_path: Path) -> None:
    output = str(tmp_path)
    log = add_events(output, at(0)).log
    first, second = open_lake(output), open_lake(output)
    assert first.run == second.run == 1
    commit_run(first, [], [log])
    with pytest.raises(LakeError, match=r"Another run has written to lake '.*' meanwhile.*\. Run it again\."):
        commit_run(second, [], [log])
    assert open_lake(output).run == 2


def test_a_stream_of_another_program_is_named(tmp_path: Path) -> None:
    add_events(str(tmp_path), at(0))
    rows = DeltaTable(tmp_path).to_pyarrow_table()
    write_deltalake(tmp_path, rows.set_column(0, "stream_name", pa.array(["other"])), mode="append")
    with pytest.raises(LakeError, match="has events of other that another program has added"):
        LogFiles.of(open_lake(str(tmp_path)), KEY)


def test_what_is_no_lake_is_refused_in_one_sentence(tmp_path: Path) -> None:
    assert not is_lake(str(tmp_path))
    for output in (tmp_path, tmp_path / "none"):
        with pytest.raises(
            LakeError, match=r"is not a lake: it has no Delta table\. Write one with `coordstream export"
        ):
            open_lake(str(output))
    write_deltalake(tmp_path / "other", pa.table({"a": [1]}))
    assert is_lake(str(tmp_path / "other"))
    with pytest.raises(LakeError, match=r"The Delta table '.*/other' is not a lake: it has other columns\."):
        open_lake(str(tmp_path / "other"))
    for invalid in ("", "a%b"):
        with pytest.raises(LakeError, match=r"^Invalid path '.*'\. Expected a path without '%', or a URI"):
            lake_uri(invalid)
    with pytest.raises(LakeError, match=r"^'unknown://host/lake' is not a lake|cannot be used: "):
        open_lake("unknown://host/lake")


@contextmanager
def without_rights(folder: Path) -> Iterator[None]:
    """This process is another user, who may not open the folder."""
    me = os.geteuid()
    folder.chmod(0o700 if me == 0 else 0)
    if me == 0:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        yield
    finally:
        os.seteuid(me)
        folder.chmod(0o700)


def test_missing_rights_are_named(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    log = add_events(str(lake), at(0))
    with without_rights(lake):
        for use in (lambda: open_lake(str(lake)), lambda: add_events(str(lake), at(1)), lambda: events_of(log)):
            with pytest.raises(LakeError, match=r"^Lake '.*lake'.*Permission denied.*\.$"):
                use()


@pytest.mark.parametrize(("version", "feature"), [(9, ""), (3, "deletionVectors"), (3, "future"), (1, "rowTracking")])
def test_a_newer_protocol_is_refused(tmp_path: Path, version: int, feature: str) -> None:
    log = add_events(str(tmp_path), at(0)).log
    kinds = {1: ["writerFeatures"], 3: ["readerFeatures", "writerFeatures"], 9: []}[version]
    versions = {"minReaderVersion": version, "minWriterVersion": max(version, 7)}
    protocol = {"protocol": {**versions, **{kind: [feature] for kind in kinds}}}
    (tmp_path / "_delta_log" / f"{2:020}.json").write_text(json.dumps(protocol) + "\n")
    with pytest.raises(LakeError, match=r"^Lake '.*' (has Delta's reader protocol 3|cannot be used: .*[Uu]nsupported)"):
        commit_run(open_lake(str(tmp_path)), [], [log])


def test_a_removed_commit_is_named(tmp_path: Path) -> None:
    add_events(str(tmp_path), at(0))
    DeltaTable(tmp_path).create_checkpoint()
    (tmp_path / "_delta_log" / f"{1:020}.json").unlink()
    with pytest.raises(LakeError, match=r"lacks the commit of run 1\. Restore its folder _delta_log\."):
        open_lake(str(tmp_path))
