from pathlib import Path

import pytest

from eventlog.events import RecordedEvent
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, CommandLine, config_event, recording

STREAM = "__samza_coordinator_counts_1"


def test_without_a_stream_the_logs_are_listed(wordcount: CommandLine) -> None:
    rows = wordcount.rows("log", "show")
    assert [(row["stream_name"], row["next_offset"]) for row in rows] == [(COORDINATOR, 427), (CHECKPOINT, 388)]
    assert "wordcount_pv/1" in wordcount.done("log", "show")


def test_a_range_of_offsets_is_shown(wordcount: CommandLine) -> None:
    rows = wordcount.rows("log", "show", COORDINATOR, "--from", "96", "--to", "98")
    assert [row["log_offset"] for row in rows] == [96, 97, 98]
    assert rows[1]["key"] == '[1,"samza-startpoint-v1","kafka.page-views.0"]'
    assert rows[1]["record_time"] == "2026-11-21T09:16:59.873Z"
    assert (rows[1]["operation"], rows[1]["value_bytes"]) == ("set", len(rows[1]["value"]))
    assert wordcount.rows("log", "show", COORDINATOR, "--from", "500") == []
    assert [row["log_offset"] for row in wordcount.rows("log", "show", COORDINATOR, "--from", "426")] == [426]


def test_the_first_year_is_a_time_before_all_events(wordcount: CommandLine) -> None:
    rows = wordcount.rows("log", "show", COORDINATOR, "--since", "0001-01-01", "--limit", "1000")
    assert [row["log_offset"] for row in rows] == list(range(427))


@pytest.mark.usefixtures("narrow")
def test_it_tells_where_to_continue(wordcount: CommandLine) -> None:
    finished = wordcount("log", "show", CHECKPOINT, "--limit", "2")
    assert finished.code == 0
    assert finished.err == "There are more events. Continue with --from 2.\n"
    assert max(map(len, finished.out.splitlines())) <= 80


def test_unusual_events_are_shown_without_their_secrets(cli: CommandLine, tmp_path: Path) -> None:
    events = [
        config_event(0, "db.password", "hunter2"),
        config_event(1, "db.password", None),
        RecordedEvent(2, 2**62, 0, None, b"\xff\x1b[31m"),
    ]
    cli.done("import", recording(tmp_path / "r.jsonl", events))
    rows = cli.rows("log", "show", STREAM)
    assert "hmac-sha256:" in rows[0]["value"]
    assert "hunter2" not in str(rows)
    assert (rows[1]["operation"], rows[1]["value"], rows[1]["value_bytes"]) == ("delete", None, None)
    assert (rows[2]["key"], rows[2]["record_time"], rows[2]["timestamp"]) == (None, None, 2**62)
    printed = cli.done("log", "show", STREAM)
    assert "(tombstone)" in printed
    assert "\x1b" not in printed
