"""`coordstream config write` and `config check`: a whole config from a property file."""

from pathlib import Path
from typing import Final

import pytest

from eventlog.postgres.log import PostgresEventLog
from managers.config.job_config import read_config, set_config
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.coordstream.command_line import CommandLine

STREAM: Final = "__samza_coordinator_orders_1"
ADVICE: Final = "Write other characters as \\uXXXX."
GROUPER: Final = "job.systemstreampartition.grouper.factory"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "job.properties"
    path.write_text("job.name=orders\ntask.class=demo.Task\ndb.password=hunter2\n")
    return path


def config(cli: CommandLine) -> dict[str, str]:
    with PostgresEventLog(cli.database_url, STREAM) as log, CoordinatorStreamStore(log) as store:
        return dict(read_config(store))


def end_offset(cli: CommandLine) -> int:
    with PostgresEventLog(cli.database_url, STREAM) as log:
        return log.end_offset()


def write(cli: CommandLine, file: Path, *words: str) -> str:
    return cli.done("config", "write", "orders", "--from-file", file, *words)


def test_the_first_write_creates_the_stream(cli: CommandLine, file: Path) -> None:
    assert "Nothing was written (dry run)." in write(cli, file, "--dry-run")
    assert cli.is_empty()
    printed = write(cli, file)
    assert "Set 3 keys, of which 3 changed, and deleted 0." in printed
    assert "hunter2" not in printed
    assert config(cli) == {"job.name": "orders", "task.class": "demo.Task", "db.password": "hunter2"}


def test_every_key_is_set_and_stale_keys_are_deleted(cli: CommandLine, file: Path) -> None:
    write(cli, file)
    before = end_offset(cli)
    file.write_text("job.name=orders\ntask.class=demo.Other\n")
    rows = cli.rows("config", "write", "orders", "--from-file", file)
    assert [(row["config_key"], row["new_value"], row["is_sensitive"]) for row in rows] == [
        ("db.password", None, True),
        ("task.class", "demo.Other", False),
    ]
    assert config(cli) == {"job.name": "orders", "task.class": "demo.Other"}
    assert end_offset(cli) == before + 3


def test_results_of_autosizing_stay(cli: CommandLine, file: Path) -> None:
    file.write_text("job.name=orders\njob.autosizing.enabled=true\n")
    write(cli, file)
    with PostgresEventLog(cli.database_url, STREAM) as log, CoordinatorStreamStore(log) as store:
        set_config(store, "job.autosizing.container.count", "4")
    write(cli, file)
    assert config(cli)["job.autosizing.container.count"] == "4"


def test_the_config_of_another_job_on_the_stream_is_replaced_only_by_force(cli: CommandLine, file: Path) -> None:
    file.write_text("job.name=big_orders\n")
    cli.done("config", "write", "big_orders", "--from-file", file)
    file.write_text("job.name=big-orders\ntask.class=demo.Other\n")
    other = ("big-orders", "--from-file", file)
    refused = cli.refused("config", "write", *other)
    assert refused == (
        "__samza_coordinator_big-orders_1 has the config of job big_orders/1. The streams of job big-orders/1 have the "
        "same names. Choose another job.name, or replace the config with --force."
    )
    checked = cli("config", "check", *other)
    assert (checked.code, checked.err) == (1, f"{refused}\n")
    assert "Set 2 keys" in cli.done("config", "write", *other, "--force")


def test_a_write_once_key_is_refused_with_both_values(cli: CommandLine, file: Path) -> None:
    file.write_text(f"job.name=orders\n{GROUPER}=demo.First\n")
    write(cli, file)
    end = end_offset(cli)
    file.write_text(f"job.name=orders\n{GROUPER}=kafka://u:hunter2@db/x\n")
    refused = cli.refused("config", "write", "orders", "--from-file", file)
    assert refused.startswith(f"This changes {GROUPER} from 'demo.First' to 'hmac-sha256:")
    assert "hunter2" not in refused
    checked = cli("config", "check", "orders", "--from-file", file)
    assert checked.code == 1
    assert checked.err == f"{refused}\n"
    assert (GROUPER in checked.out, "hunter2" in checked.out) == (True, False)
    assert end_offset(cli) == end
    write(cli, file, "--force")
    assert config(cli)[GROUPER] == "kafka://u:hunter2@db/x"


def test_a_check_only_shows_the_changes(cli: CommandLine, file: Path) -> None:
    rows = cli.rows("config", "check", "orders", "--from-file", file)
    assert [row["config_key"] for row in rows] == ["db.password", "job.name", "task.class"]
    assert cli.is_empty()


def test_changes_are_printed_as_csv(cli: CommandLine, file: Path) -> None:
    header = "stream_name,config_key,old_value,new_value,is_sensitive,is_write_once"
    checked = cli.done("config", "check", "orders", "--from-file", file, "--csv").splitlines()
    assert (checked[0], checked[2]) == (header, f"{STREAM},job.name,,orders,false,false")
    written = write(cli, file, "--csv").splitlines()
    assert (written[0], written[2]) == (f"{header},is_written", f"{STREAM},job.name,,orders,false,false,true")
    assert write(cli, file, "--csv").splitlines() == [f"{header},is_written"]
    assert cli.done("config", "check", "orders", "--from-file", file, "--csv").splitlines() == [header]


def test_lines_that_may_not_mean_what_they_seem_to_are_reported(cli: CommandLine, file: Path) -> None:
    file.write_bytes("job.name=orders\ndb.password=a\napp.note=café\ndb.password=b\ndb.password=b\n".encode())
    ended = cli("config", "check", "orders", "--from-file", file)
    assert ended.code == 0
    assert ended.err.splitlines() == [
        f"warning: {file} sets db.password in line 2 and again in line 4. The last value counts.",
        f"warning: {file} sets db.password in line 2 and again in line 5. The last value counts.",
        f"warning: {file} seems to be in UTF-8 (line 3), but Samza reads property files in ISO-8859-1. {ADVICE}",
    ]


def test_a_config_that_only_samza_can_coordinate_is_written_and_a_check_says_so(cli: CommandLine, file: Path) -> None:
    file.write_text("job.name=orders\njob.elasticity.factor=2\n")
    write(cli, file)
    ended = cli("config", "check", "orders", "--from-file", file)
    assert ended.code == 0
    assert ended.err.startswith(
        "warning: `coordstream coordinator run` refuses this config: job.elasticity.factor is 2, but elastic tasks"
    )


def test_a_value_that_no_topic_accepts_is_refused_before_anything_is_written(cli: CommandLine, file: Path) -> None:
    file.write_text("job.name=orders\ndb.password=" + "x" * 1_000_000 + "\n")
    refused = cli.refused("config", "write", "orders", "--from-file", file)
    assert refused.startswith(f"Invalid line 2 of {file}: db.password needs 1000")
    assert refused.endswith(" bytes on the stream. Expected at most 1000000.")
    assert cli.is_empty()


def test_a_file_that_is_not_confirmed_creates_no_stream(
    cli: CommandLine, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    ended = cli("config", "write", "orders", "--from-file", file)
    assert (ended.code, ended.err) == (1, "Nothing was written: not confirmed.\n")
    assert cli.is_empty()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("job.name=orders\na=\\u12\n", "Invalid line 2 of "),
        ("job.name=payments\n", 'is the config of payments/1, not of "orders". Check job.name and job.id.'),
        ("task.class=demo.Task\n", "The config has no job.name"),
    ],
)
def test_a_file_that_cannot_be_used(cli: CommandLine, file: Path, text: str, message: str) -> None:
    file.write_text(text)
    assert message in cli.refused("config", "write", "orders", "--from-file", file)
    assert cli.is_empty()


def test_a_file_that_does_not_exist(cli: CommandLine, tmp_path: Path) -> None:
    refused = cli.refused("config", "write", "orders", "--from-file", tmp_path / "missing")
    assert refused == f"Cannot access '{tmp_path / 'missing'}': no such file or directory."
