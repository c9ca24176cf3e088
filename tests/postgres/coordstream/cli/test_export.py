"""`coordstream export`."""

import gzip
import json
from base64 import b64decode
from datetime import UTC, datetime
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from coordstream.cli import relation_export
from coordstream.relations import RELATIONS
from eventlog.events import RecordedEvent
from tests.builders import config_set, recorded
from tests.fixtures.coordstream.command_line import (
    CHECKPOINT,
    COORDINATOR,
    RECORDING_A,
    CommandLine,
    config_event,
    recording,
)

STREAM = "__samza_coordinator_counts_1"


@pytest.mark.parametrize(("stream", "path"), [(COORDINATOR, RECORDING_A[0]), (CHECKPOINT, RECORDING_A[1])])
def test_a_stream_without_secrets_is_exported_as_it_was_imported(
    wordcount: CommandLine, tmp_path: Path, stream: str, path: Path
) -> None:
    recorded = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    printed = wordcount.done("export", stream)
    assert [json.loads(line) for line in printed.splitlines()] == recorded
    finished = wordcount("export", stream, "-o", tmp_path / "out.jsonl.gz")
    assert (finished.code, finished.out) == (0, "")
    assert f"{len(recorded)} events of {stream} written to" in finished.err
    assert gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).decode() == printed


def test_only_raw_exports_have_secrets(cli: CommandLine, tmp_path: Path) -> None:
    header = RecordedEvent(
        2, 1, 0, b'[1,"set-config","c"]', None, (("trace-token", b"hunter2"), ("a", b"b"), ("n", None))
    )
    events = [config_event(0, "db.password", "hunter2"), config_event(1, "url", "jdbc:x://u:hunter2@h/d"), header]
    cli.done("import", recording(tmp_path / "in.jsonl", events))
    raw = cli.done("export", STREAM, "--raw")
    assert raw == (tmp_path / "in.jsonl").read_text()
    shown = [json.loads(line) for line in cli.done("export", STREAM).splitlines()]
    values = [b64decode(row["value_b64"] or "") for row in shown]
    headers = [b64decode(value or "") for row in shown for _, value in row["headers"]]
    assert b"hunter2" not in b"".join([*values, *headers])
    assert [b"hmac-sha256:" in value for value in values] == [True, True, False]
    assert (b"hmac-sha256:" in headers[0], headers[1:]) == (True, [b"b", b""])


SECOND_RUN = "2026-11-21T09:17:00Z"
TIME = pyarrow.timestamp("us", "UTC")


def exported(cli: CommandLine, path: Path, *words: str) -> pyarrow.Table:
    finished = cli("export", "--relation", *words, "-o", path)
    assert (finished.code, finished.out) == (0, "")
    table = pyarrow.parquet.read_table(path)
    assert finished.err == f"{table.num_rows} rows of {words[0]} written to {path}\n"
    return table


def test_the_file_has_the_rows_and_types_of_the_relation(wordcount: CommandLine, tmp_path: Path) -> None:
    table = exported(wordcount, tmp_path / "x.parquet", "checkpoint", "--job", "wordcount_pv")
    names = table.column_names
    rows = wordcount.ask(f"select {', '.join(names)} from coordinator.checkpoint")
    assert sorted(map(str, rows)) == sorted(str(tuple(row.values())) for row in utc_rows(table))
    assert [column.name for column in RELATIONS["checkpoint"].c] == names
    assert {name: table.schema.field(name).type for name in ("task_name", "partition_id", "log_offset")} == {
        "task_name": pyarrow.string(),
        "partition_id": pyarrow.int32(),
        "log_offset": pyarrow.int64(),
    }
    assert table.schema.field("record_time").type == TIME


def utc_rows(table: pyarrow.Table) -> list[dict[str, object]]:
    """The rows, with times of the zone that psycopg uses."""
    zone = datetime.now(UTC).tzinfo
    return [
        {name: value.replace(tzinfo=zone) if isinstance(value, datetime) else value for name, value in row.items()}
        for row in table.to_pylist()
    ]


def test_a_relation_is_written_as_of_a_time(wordcount: CommandLine, tmp_path: Path) -> None:
    words = ("--as-of", SECOND_RUN)
    table = exported(wordcount, tmp_path / "x.parquet", "checkpoint", "--job", "wordcount_pv", *words)
    shown = wordcount.rows("checkpoint", "show", "wordcount_pv", *words)
    assert sorted(row["log_offset"] for row in shown) == sorted(table["log_offset"].to_pylist())
    assert exported(wordcount, tmp_path / "all.parquet", "checkpoint", *words).equals(table)


def test_every_relation_can_be_written(wordcount: CommandLine, tmp_path: Path) -> None:
    for name in RELATIONS:
        table = exported(wordcount, tmp_path / "x.parquet", name)
        assert table.column_names == [column.name for column in RELATIONS[name].c]
        ((count,),) = wordcount.ask(f"select count(*) from coordinator.{name}")
        assert table.num_rows == count


def test_large_rows_are_held_in_memory_by_their_bytes(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relation_export, "GROUP_BYTES", 100_000)
    events = recorded(config_set(f"key.{number:02}", "x" * (30_000 if number % 2 else 1)) for number in range(40))
    cli.done("import", recording(tmp_path / "in.jsonl", events))
    table = exported(cli, tmp_path / "x.parquet", "config")
    assert sorted(map(len, table["config_value"].to_pylist())) == [1] * 20 + [30_000] * 20
    metadata = pyarrow.parquet.read_metadata(tmp_path / "x.parquet")
    assert metadata.num_row_groups == 5
    assert max(metadata.row_group(at).num_rows for at in range(5)) <= 9


def test_infinite_times_are_null(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", recording(tmp_path / "in.jsonl", [config_event(offset, "a", "b") for offset in range(3)]))
    with cli.connection() as connection:
        for offset, time in enumerate(("-infinity", "infinity", "1969-12-31 23:59:59Z")):
            connection.execute(
                "update projection.message_event set record_time = %s where log_offset = %s", (time, offset)
            )
    table = exported(cli, tmp_path / "x.parquet", "config_history").sort_by("log_offset")
    assert table["record_time"].cast(pyarrow.int64()).to_pylist() == [None, None, -1_000_000]


def test_times_after_the_year_9999_are_kept_and_secrets_are_not(cli: CommandLine, tmp_path: Path) -> None:
    late = 8_000_000_000_000_000  # ms; the year 255,479
    events = [config_event(0, "db.password", "hunter2"), config_event(1, "a", "b", time=1)]
    events.append(RecordedEvent(2, late, 0, events[1].key, events[1].value))
    cli.done("import", recording(tmp_path / "in.jsonl", events))
    table = exported(cli, tmp_path / "x.parquet", "config_history")
    assert max(table["record_time"].cast(pyarrow.int64()).to_pylist()) == late * 1000
    assert "hunter2" not in str(table["config_value"])
