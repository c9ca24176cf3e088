"""As-of questions cost by key, not by history: as much at 1 M events (`make torture`) as at 0.1 M."""

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import connect
from tests.acceptance.synthetic_history import CONFIG_KEYS, JOB, TASKS, History, buffers, load_history, plan, scans
from tests.acceptance.torture import scaled
from tests.fixtures.postgres import CloneSeries
from tests.oracle import ROWS, Row, to_time

pytestmark = [pytest.mark.slow, pytest.mark.torture]

SMALL: Final = 100_000
LARGE: Final = scaled(400_000, 1_000_000)
CUTS: Final = 50
A_CUT: Final = 60
"""Buffers that finding the job, its logs and the cut of the other log may take: a stretch of the archive is read."""
A_CHECKPOINT_KEY: Final = 13
"""Buffers for a key: the dictionary, one descent of the primary key, the row, its layout's rows."""
A_CONFIG_KEY: Final = 6
A_RULE: Final = 120
"""Buffers for the config that says how checkpoints are read: it is looked up by key, among few."""


ALL_TASKS: Final = A_RULE + 2 * TASKS * A_CHECKPOINT_KEY
ONE_TASK: Final = A_RULE + 2 * A_CHECKPOINT_KEY
ALL_CONFIG: Final = A_CUT + CONFIG_KEYS * A_CONFIG_KEY


class Question(NamedTuple):
    """An as-of question, what its cut is, how many keys it needs, and the buffers that it may touch."""

    query: str
    by: str
    keys: int
    limit: int


QUESTIONS: Final = {
    "all tasks, by offset": Question(
        "select * from coordinator.checkpoint_as_of_offset(%s, %s, %s)",
        "offset",
        2 * TASKS,
        ALL_TASKS,
    ),
    "all tasks, by time": Question(
        "select * from coordinator.checkpoint_as_of(%s, %s, %s)",
        "time",
        2 * TASKS,
        ALL_TASKS,
    ),
    "one task, by offset": Question(
        "select * from coordinator.checkpoint_as_of_offset(%s, %s, %s) where task_name = 'Partition 7'",
        "offset",
        2,
        ONE_TASK,
    ),
    "one task, by time": Question(
        "select * from coordinator.checkpoint_as_of(%s, %s, %s) where task_name = 'Partition 7'",
        "time",
        2,
        ONE_TASK,
    ),
    "config, by offset": Question(
        "select * from coordinator.config_as_of_offset(%s, %s, %s)",
        "coordinator offset",
        CONFIG_KEYS,
        ALL_CONFIG,
    ),
    "config, by time": Question("select * from coordinator.config_as_of(%s, %s, %s)", "time", CONFIG_KEYS, ALL_CONFIG),
}


@pytest.fixture(scope="module")
def small(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[History]:
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        yield load_history(connection, SMALL)


@pytest.fixture(scope="module")
def large(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[History]:
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        yield load_history(connection, LARGE)


def ask(history: History, question: Question, part: float) -> tuple[int, set[str]]:
    """Buffers touched at this part of the history, and which history tables were read otherwise than by probes."""
    value = {
        "offset": history.checkpoint[int(part * (len(history.checkpoint) - 1))].offset,
        "coordinator offset": history.coordinator[int(part * (len(history.coordinator) - 1))].offset,
        "time": history.checkpoint_time(part),
    }[question.by]
    plan(history.connection, question.query, *JOB, value)  # the catalogue is read once for each session
    executed = plan(history.connection, question.query, *JOB, value)
    otherwise = {
        f"{node['Node Type']} {node.get('Scan Direction')} {node['Relation Name']}"
        for node in scans(executed)
        if node["Relation Name"].startswith(("checkpoint_event", "message_event"))
        and not (
            node["Node Type"] in ("Index Scan", "Index Only Scan")
            and node["Scan Direction"] == "Backward"
            and node["Index Name"].endswith(("_pkey", "pk_message_event"))
        )
    }
    otherwise |= {f"Seq Scan {node['Relation Name']}" for node in scans(executed) if is_scan_of_the_archive(node)}
    return buffers(executed), otherwise


def is_scan_of_the_archive(node: dict[str, str]) -> bool:
    return node["Relation Name"].startswith("event_from") and node["Node Type"] == "Seq Scan"


@pytest.mark.parametrize("name", QUESTIONS)
def test_cost_is_by_key_and_not_by_history(small: History, large: History, name: str) -> None:
    question = QUESTIONS[name]
    for part in (0.5, 0.9, 1.0):
        at_small, scanned_small = ask(small, question, part)
        at_large, scanned_large = ask(large, question, part)
        print(
            f"\n{name}, at {part:.0%}: {at_small} buffers at {SMALL} events, {at_large} at {LARGE};"
            f" may be {question.limit}"
        )
        assert scanned_small | scanned_large == set()
        assert max(at_small, at_large) <= question.limit
        # ten times the rows may be one level more of the trees of history and of layouts; a cut falls anywhere in its
        # stretch
        assert at_large <= at_small + 2 * question.keys + 64


def shown(history: History, relation: str, function: str, *arguments: object) -> list[Row]:
    query = f"select {ROWS[relation]}, log_offset from coordinator.{relation}_{function}(%s, %s, %s)"
    return sorted(history.connection.execute(query.encode(), (*JOB, *arguments)).fetchall(), key=repr)


def test_answers_are_those_of_the_plain_fold_at_random_cuts(large: History) -> None:
    rng = random.Random(5)
    rows = 0
    for _ in range(CUTS):
        at = rng.randrange(len(large.checkpoint))
        by_offset = shown(large, "checkpoint", "as_of_offset", large.checkpoint[at].offset)
        assert by_offset == sorted(large.as_of_checkpoint(at)["checkpoint"], key=repr)
        config_at = rng.randrange(len(large.coordinator))
        config = shown(large, "config", "as_of_offset", large.coordinator[config_at].offset)
        assert [row[0::2] for row in config] == masked(large.as_of_config(config_at)["config"])
        ms = rng.randrange(large.checkpoint_times[0], large.checkpoint_times[-1])
        expected = large.as_of_time(ms)
        assert shown(large, "checkpoint", "as_of", to_time(ms)) == sorted(expected["checkpoint"], key=repr)
        assert [row[0::2] for row in shown(large, "config", "as_of", to_time(ms))] == masked(expected["config"])
        rows += len(by_offset) + len(config)
    print(f"\n{CUTS} cuts by offset and by time agree with the plain fold; {rows} rows by offset")
    assert rows > CUTS * TASKS


def masked(config: list[Row]) -> list[Row]:
    """Key, whether it is a secret, and the offset: how a secret shows is not asked here."""
    return sorted((row[0::2] for row in config), key=repr)
