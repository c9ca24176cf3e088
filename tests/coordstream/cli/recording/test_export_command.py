import gzip
import json
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest

from eventlog.events import RecordedEvent
from tests.coordstream.command_line import (
    CHECKPOINT,
    COORDINATOR,
    RECORDING_A,
    CommandLine,
    config_event,
    recording,
    without_settings,
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


def test_a_dash_is_standard_output(wordcount: CommandLine, tmp_path: Path) -> None:
    printed = wordcount.done("export", COORDINATOR)
    assert wordcount.done("export", COORDINATOR, "-o", "-") == printed
    assert wordcount.done("export", COORDINATOR, "--output=-") == printed
    assert not (tmp_path / "-").exists()


def test_a_closed_pipe_is_not_an_error(wordcount: CommandLine) -> None:
    filled = f"set -o pipefail; {sys.executable} -m coordstream.cli export {COORDINATOR} -o - | head -n 1"
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": wordcount.database_url}
    ended = subprocess.run(["bash", "-c", filled], env=environment, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout.count(b"\n"), ended.stderr) == (1, 1, b"")


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


def test_an_older_incarnation_can_be_exported(cli: CommandLine, tmp_path: Path) -> None:
    for value in ("old", "new"):
        cli.done("import", recording(tmp_path / f"{value}.jsonl", [config_event(0, "a", value)]))
    assert cli.done("export", STREAM) == (tmp_path / "new.jsonl").read_text()
    assert cli.done("export", STREAM, "--incarnation", "1") == (tmp_path / "old.jsonl").read_text()


def test_an_unwritable_file_and_an_unknown_stream_are_reported(wordcount: CommandLine, tmp_path: Path) -> None:
    nowhere = tmp_path / "none" / "x.jsonl"
    assert ": No such file or directory" in wordcount.refused("export", COORDINATOR, "-o", nowhere)
    assert "No stream 'x'." in wordcount.refused("export", "x", "-o", tmp_path / "x")
    assert not (tmp_path / "x").exists()
