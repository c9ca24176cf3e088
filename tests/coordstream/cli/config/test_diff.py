from pathlib import Path
from typing import Final

import pytest

from coordstream.queries.config import differences
from tests.coordstream.command_line import CommandLine, config_event, recording

pytestmark = pytest.mark.slow

SECOND: Final = 1_000
DEPLOYS: Final = [
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
    cli.done("import", recording(tmp_path / "r.jsonl", DEPLOYS))
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


@pytest.mark.usefixtures("narrow")
def test_tables_fit_a_terminal(two_jobs: CommandLine) -> None:
    printed = two_jobs("config", "diff", "counts", "--from", BEFORE).out
    assert max(map(len, printed.splitlines())) <= 80


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


def test_an_unknown_job_is_refused(two_jobs: CommandLine) -> None:
    assert 'No job "nope".' in two_jobs.refused("config", "diff", "counts", "nope")


def test_an_empty_value_is_a_value() -> None:
    row = {"config_key": "a", "config_value": "", "is_sensitive": False}
    assert [found["difference"] for found in differences([], [row])] == ["added"]
    assert list(differences([row], [dict(row)])) == []
