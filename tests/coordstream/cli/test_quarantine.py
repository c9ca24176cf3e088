from pathlib import Path

import pytest

from eventlog.events import RecordedEvent
from tests.coordstream.command_line import CommandLine, config_event, recording

SPOILT = [
    RecordedEvent(0, 1, 0, b'[1,"set-config","a"]', b"no json"),
    RecordedEvent(1, 1, 0, b"password=hunter2", b"x"),
    RecordedEvent(2, 1, 0, b'[1,"set-config","b.password"]', b"hunter2"),
    config_event(3, "a", "1"),
]


@pytest.mark.usefixtures("narrow")
def test_an_undecodable_event_is_shown_with_its_reason(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", recording(tmp_path / "r.jsonl", SPOILT))
    rows = cli.rows("quarantine", "counts", "--resolved")
    assert [(row["log_offset"], row["reason"], row["is_resolved"]) for row in rows] == [
        (0, "not_json", True),
        (1, "not_json", False),
        (2, "not_json", False),
    ]
    assert cli.rows("quarantine", "--resolved") == rows
    assert cli.rows("quarantine") == cli.rows("quarantine", "counts") == rows[1:]
    assert "resolved" not in cli.done("quarantine")
    printed = cli.done("quarantine", "--resolved")
    assert "not JSON" in printed
    assert "hunter2" not in printed + str(rows)
    assert max(map(len, printed.splitlines())) <= 80
    assert cli.rows("quarantine", "--since", "1970-01-01T00:00:00.002Z") == []
    assert cli.rows("quarantine", "--until", "1970-01-01T00:00:00.001Z", "--limit", "1") == rows[2:]
