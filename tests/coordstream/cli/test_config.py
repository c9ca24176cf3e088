"""`coordstream config show|history|diff`."""

from pathlib import Path
from typing import Final

import pytest

from coordstream.queries.config import writer
from tests.coordstream.command_line import CommandLine, config_event, recording

pytestmark = pytest.mark.slow

SECOND: Final = 1_000
DEPLOYS: Final = [
    config_event(0, "job.name", "counts", time=SECOND),
    config_event(1, "task.window.ms", "10", time=SECOND),
    config_event(2, "db.password", "hunter2", time=SECOND),
    config_event(3, "job.name", "counts", time=9 * SECOND),
    config_event(4, "task.window.ms", "20", time=9 * SECOND),
    config_event(5, "task.window.ms", None, time=9 * SECOND),
    config_event(6, "job.id", "7", time=9 * SECOND),
]


def values(rows: list[dict[str, str]]) -> dict[str, str]:
    return {row["config_key"]: row["config_value"] for row in rows}


def test_config_is_shown_now_and_before(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", recording(tmp_path / "r.jsonl", DEPLOYS))
    now = values(cli.rows("config", "show", "counts"))
    assert list(now) == ["db.password", "job.id", "job.name"]
    assert now["db.password"].startswith("hmac-sha256:")
    before = values(cli.rows("config", "show", "counts/7", "--as-of", "1970-01-01T00:00:05Z"))
    assert (before["task.window.ms"], "job.id" in before) == ("10", False)
    assert values(cli.rows("config", "show", "counts", "--as-of-offset", "4"))["task.window.ms"] == "20"
    assert cli("config", "show", "counts", "--as-of", "1969-12-31", "--json").json == []


def test_a_key_that_was_deleted_or_is_set_later_is_not_suggested(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", recording(tmp_path / "r.jsonl", DEPLOYS))
    note = (
        'Each config key of counts/7 that matches "{0}" was deleted, or set later. '
        "See `coordstream config history counts/7 --key {0}`.\n"
    )
    words = ("--json", "--key")
    assert cli("config", "show", "counts", *words, "task.window.ms").err == note.format("task.window.ms")
    early = ("--as-of", "1970-01-01T00:00:05Z")
    assert cli("config", "show", "counts", *early, *words, "job.id").err == note.format("job.id")
    times = ("--from", "1970-01-01T00:00:02Z", "--to", "1970-01-01T00:00:05Z")
    assert cli("config", "diff", "counts", *times, *words, "job.id").err == note.format("job.id")


def test_the_history_has_the_writer_of_each_change(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", recording(tmp_path / "r.jsonl", DEPLOYS))
    rows = cli.rows("config", "history", "counts")
    assert [row["log_offset"] for row in rows] == list(range(7))
    assert (rows[0]["source"], rows[0]["username"], rows[0]["host"]) == ("deployer", "u", "h")
    assert [row["log_offset"] for row in cli.rows("config", "history", "counts", "--limit", "2")] == [5, 6]
    assert [row["log_offset"] for row in cli.rows("config", "history", "counts", "--as-of-offset", "1")] == [0, 1]
    changed = cli.rows("config", "history", "counts", "--changes")
    assert [row["log_offset"] for row in changed] == [0, 1, 2, 4, 5, 6]
    assert [row["previous_value"] for row in changed] == [None, None, None, "10", "20", None]
    printed = cli.done("config", "history", "counts", "--changes")
    assert "deployer (u@h)" in printed
    assert "10 → 20" in printed
    assert "hunter2" not in printed


def test_the_deployments_of_a_job(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", recording(tmp_path / "r.jsonl", DEPLOYS))
    rows = cli.rows("config", "history", "counts", "--deployments")
    columns = ("deployment_number", "source", "first_log_offset", "last_log_offset", "keys_changed", "keys_deleted")
    assert [tuple(row[column] for column in columns) for row in rows] == [
        (1, "deployer", 0, 2, 3, 0),
        (2, "deployer", 3, 6, 2, 1),
    ]
    assert cli.rows("config", "history", "counts", "--deployments", "--limit", "1") == rows[1:]
    assert cli.rows("config", "history", "counts", "--deployments", "--until", "1970-01-01T00:00:05Z") == rows[:1]
    assert cli.rows("config", "history", "counts", "--deployments", "--since", "1970-01-01T00:00:05Z") == rows[1:]
    assert "deployer (u@h)" in cli.done("config", "history", "counts", "--deployments")


@pytest.mark.parametrize("other", [("--key", "a"), ("--changes",), ("--as-of", "now"), ("--as-of-offset", "1")])
def test_deployments_with_another_filter_are_refused(cli: CommandLine, other: tuple[str, ...]) -> None:
    refused = cli("config", "history", "counts", "--deployments", *other)
    assert refused.code == 2
    assert "'--deployments' cannot be used with" in refused.err


@pytest.mark.parametrize(
    ("source", "username", "host", "text"),
    [
        ("job-runner", "ann", "host-1", "job-runner (ann@host-1)"),
        ("job-runner", None, None, "job-runner"),
        (None, "ann", "host-1", "ann@host-1"),
        (None, None, None, "–"),
    ],
)
def test_a_writer_is_named_as_far_as_it_is_known(
    source: str | None, username: str | None, host: str | None, text: str
) -> None:
    assert writer({"source": source, "username": username, "host": host}) == text


SETS: Final = [
    config_event(0, "job.name", "counts", time=SECOND),
    config_event(1, "task.window.ms", "10", time=SECOND),
    config_event(2, "db.password", "hunter2", time=SECOND),
    config_event(3, "api.token", "swordfish", time=SECOND),
    config_event(4, "gone", "1", time=SECOND),
    config_event(5, "task.window.ms", "20", time=9 * SECOND),
    config_event(6, "db.password", "hunter3", time=9 * SECOND),
    config_event(7, "new", "", time=9 * SECOND),
    config_event(8, "gone", None, time=9 * SECOND),
]
STAGING: Final = [
    config_event(0, "job.name", "staging", time=SECOND),
    config_event(1, "task.window.ms", "20", time=SECOND),
    config_event(2, "db.password", "hunter3", time=SECOND),
    config_event(3, "api.token", "swordfish", time=SECOND),
]
BEFORE: Final = "1970-01-01T00:00:05Z"
AFTER: Final = "1970-01-01T00:00:10Z"


@pytest.fixture
def two_jobs(cli: CommandLine, tmp_path: Path) -> CommandLine:
    cli.done("import", recording(tmp_path / "r.jsonl", SETS))
    cli.done("import", recording(tmp_path / "s.jsonl", STAGING, "__samza_coordinator_staging_1"))
    return cli


def differences_of(cli: CommandLine, *words: str) -> list[tuple[str, str]]:
    finished = cli("config", "diff", *words, "--json")
    assert finished.err == ""
    assert finished.code == (1 if finished.json else 0)
    return [(row["config_key"], row["difference"]) for row in finished.json]


CHANGES: Final = [("db.password", "changed"), ("gone", "removed"), ("new", "added"), ("task.window.ms", "changed")]


@pytest.mark.parametrize("to", [[], ["--to", AFTER]])
def test_two_times_of_a_job(two_jobs: CommandLine, to: list[str]) -> None:
    assert differences_of(two_jobs, "counts", "--from", BEFORE, *to) == CHANGES
    assert differences_of(two_jobs, "counts/1", "--from", BEFORE, *to, "--key", "task.*") == [
        ("task.window.ms", "changed")
    ]
    assert differences_of(two_jobs, "counts", "--from", AFTER, *to) == []


def test_two_jobs_now_and_before(two_jobs: CommandLine) -> None:
    assert differences_of(two_jobs, "counts", "staging") == [("job.name", "changed"), ("new", "removed")]
    before = [("db.password", "changed"), ("gone", "removed"), ("job.name", "changed"), ("task.window.ms", "changed")]
    assert differences_of(two_jobs, "counts", "staging", "--as-of", BEFORE) == before
    assert differences_of(two_jobs, "counts", "staging", "--from", BEFORE) == before
    early = two_jobs("config", "diff", "counts", "staging", "--to", "1969-12-31", "--json")
    assert early.err.startswith(
        "Job staging/1 has no events as of 1969-12-31 00:00:00 UTC. Its first event is from 1970-"
    )
    assert [row["config_key"] for row in early.json] == [
        *("api.token", "db.password", "job.name", "new", "task.window.ms")
    ]


def test_a_key_that_only_one_job_has(two_jobs: CommandLine) -> None:
    printed = two_jobs("config", "diff", "counts", "staging", "--from", BEFORE, "--to", AFTER).out
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    assert "key difference counts/1 staging/1" in lines
    assert "gone only in counts/1 1 –" in lines
    assert "new only in counts/1 –" in [
        " ".join(line.split()) for line in two_jobs("config", "diff", "staging", "counts").out.splitlines()
    ]
    assert "removed" not in printed
    printed = two_jobs("config", "diff", "counts", "counts/1", "--from", BEFORE).out
    assert "gone removed 1 –" in [" ".join(line.split()) for line in printed.splitlines()]


def test_changed_secrets_are_not_revealed(two_jobs: CommandLine) -> None:
    finished = two_jobs("config", "diff", "counts", "--from", BEFORE, "--json")
    (password,) = [row for row in finished.json if row["config_key"] == "db.password"]
    assert password["is_sensitive"]
    assert password["from_value"] != password["to_value"]
    printed = two_jobs("config", "diff", "counts", "--from", BEFORE).out
    assert f"{password['from_value'][:24]}…" in printed
    assert "Config from counts/1 as of 1970-01-01 00:00:05 UTC to counts/1 now" in printed
    assert "hunter" not in finished.out + printed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["counts"], "Expected a second job, or --from TIME"),
        (["counts", "--to", BEFORE], "Expected a second job, or --from TIME"),
        (["counts", "--as-of", BEFORE], "'--as-of' needs a second job."),
        (["counts", "staging", "--as-of", BEFORE, "--to", AFTER], "'--as-of' cannot be used together with"),
    ],
)
def test_one_side_is_not_enough(two_jobs: CommandLine, words: list[str], sentence: str) -> None:
    assert sentence in two_jobs.refused("config", "diff", *words, code=2)
