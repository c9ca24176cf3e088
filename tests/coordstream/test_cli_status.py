from pathlib import Path

from eventlog.events import RecordedEvent
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, CommandLine, config_event, recording


def test_every_log_has_a_row(wordcount: CommandLine) -> None:
    rows = wordcount.rows("status")
    assert [
        (row["stream_name"], row["incarnation"], row["next_offset"], row["lag"], row["quarantine_open"]) for row in rows
    ] == [(COORDINATOR, 1, 427, 0, 0), (CHECKPOINT, 1, 388, 0, 0)]
    assert [row["last_event_time"] for row in rows] == ["2026-11-21T09:18:19.033Z", "2026-11-21T09:18:13.221Z"]


def test_an_unknown_end_is_called_unknown(wordcount: CommandLine) -> None:
    assert "unknown" not in wordcount.done("status")
    with wordcount.connection() as connection:
        connection.execute("update projection.position set end_offset = null")
    assert wordcount.done("status").count("unknown") == 4
    assert [row["lag"] for row in wordcount.rows("status")] == [None, None]


def test_what_waits_in_quarantine_is_counted(cli: CommandLine, tmp_path: Path) -> None:
    spoilt = RecordedEvent(0, 1, 0, b'[1,"set-config","a"]', b"no json")
    cli.done("import", recording(tmp_path / "r.jsonl", [spoilt, RecordedEvent(1, 1, 0, b"no json", b"x")]))
    assert [row["quarantine_open"] for row in cli.rows("status")] == [2]
    cli.done("import", recording(tmp_path / "s.jsonl", [config_event(2, "a", "1")]))
    assert [row["quarantine_open"] for row in cli.rows("status")] == [1]


def test_of_nothing_there_is_no_row(cli: CommandLine) -> None:
    assert cli.rows("status") == []
    assert cli.done("status") == "Logs (bad: events in quarantine)\n  none\n"
