"""Rules, each with a file of cases. One that stands in Python and in SQL gives the same answers in both.

A case of ``<rule>.json`` has a ``name``, what is given, and the answer to one of the `QUESTIONS` under its name. What a
job's logs hold is given as ``config``, and as events of the ``coordinator`` stream and of the checkpoint ``topic``
(none: the job has none): a kind of `EVENTS` and its arguments. ``{job}`` stands for the job's name; ``words`` are parts
of sentences that SQL has to say, with `` … `` between; ``rows`` are those of any relation or function. With
``refused``, Python raises ConfigError, and SQL, which goes on without the setting, gives the answer.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from eventlog.checkpoint import Offsets, StateMarkers
from eventlog.config import inputs
from eventlog.errors import ConfigError
from eventlog.events import NewEvent
from eventlog.log import MemoryEventLog
from eventlog.messages import SetConfig
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.startpoint import (
    StartingOffset,
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
    is_expired,
)
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.streams import identify
from eventlog.timestamps import storable_micros
from managers.checkpoints.checkpoint_manager import checkpoint_manager
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.config.job_config import write_once_changes
from managers.startpoints.next_starts import StartpointFacts, next_starts
from managers.stream_creation import VALIDATION
from tests.builders import (
    changelog_set,
    checkpoint_v1,
    checkpoint_v2,
    config_deleted,
    config_set,
    fan_out,
    message,
    raw,
    recorded,
    set_checkpoint,
    startpoint,
    task_mode,
    task_partition,
    tombstone,
)
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.numbers import NUMBERS

Case = dict[str, Any]

NOW_MS: Final = 1_750_000_000_000
"""When starts are judged."""
WRITTEN_MS: Final = NOW_MS - 3_600_000
"""When the first event of each log was written; checkpoints say how many ms later they were."""
LATER_MS: Final = WRITTEN_MS + 600_000

CASES: Final = [
    pytest.param(case, id=f"{file.stem}: {case['name']}", marks=pytest.mark.scenario(*case.get("scenarios", ())))
    for file in sorted(Path(__file__).parent.glob("*.json"))
    for case in json.loads(file.read_text())
]


def asked(kind: str, value: str | int | None, age_ms: int) -> Startpoint:
    created = NOW_MS - age_ms
    match kind:
        case "specific":
            return StartpointSpecific(None if value is None else str(value), created)
        case "timestamp":
            return StartpointTimestamp(None if value is None else int(value), created)
    return StartpointOldest(created) if kind == "oldest" else StartpointUpcoming(created)


def event(kind: str, *arguments: Any) -> NewEvent:
    return EVENTS[kind](*arguments)


EVENTS: Final[dict[str, Callable[..., NewEvent]]] = {
    "config": config_set,
    "assign": lambda partition, tasks, bucket=-1: task_partition(partition, *tasks, key_bucket=bucket),
    "mode": task_mode,
    "request": lambda key, *request: startpoint(key, asked(*request)),
    "fan-out": lambda task, handed, at=0: fan_out(
        task, {partition: asked(*one) for partition, one in handed.items()}, timestamp=WRITTEN_MS + at
    ),
    "changelog": changelog_set,
    "set-checkpoint": set_checkpoint,
    "v1": lambda task, offsets, at=0: checkpoint_v1(task, offsets, at=WRITTEN_MS + at),
    "v2": lambda task, offsets, at=0: checkpoint_v2(task, offsets, at=WRITTEN_MS + at),
    "other-grouper": lambda task, offsets: checkpoint_v1(task, offsets, grouper="other.Grouper"),
    "state": lambda offset, *state: checkpoint_v2("t", {"kafka.in.0": offset}, markers=state_markers(*state)),
    "delete": lambda *deleted: tombstone(event(*deleted)),
    "at": lambda ms, *later: event(*later)._replace(timestamp=WRITTEN_MS + ms),
    "by": lambda source, key, value: message(SetConfig(config_key=key, config_value=value), source=source),
    "respelt": lambda *written: (said := event(*written))._replace(key=(said.key or b"").replace(b",", b", ")),
    "raw": lambda key, value: raw(key.encode(), None if value is None else value.encode()),
}


def state_markers(offset: str | None, blob: str | None = None, store: str = "counts", *more: str) -> StateMarkers:
    """The offset of the changelog of the store ``counts`` (and of ``more``), and what another backend says of them."""
    changelog = SystemStreamPartition("kafka", "counts-changelog", 3)
    marker = None if offset is None else KafkaStateCheckpointMarker(changelog, offset).serialise()
    kafka = {} if marker is None else dict.fromkeys(("counts", *more), marker)
    other = {} if blob is None else dict.fromkeys((store, *more), blob)
    return {name: of for name, of in ((KAFKA_STATE_BACKEND_FACTORY, kafka), ("com.example.Blobs", other)) if of}


class Job:
    """A job's logs, in memory and in Postgres."""

    def __init__(self, database: Connection, name: str, case: Case) -> None:
        self.imported = ImportedJob(database, name)
        settings = [config_set(key, value) for key, value in case.get("config", {}).items()]
        events = [*settings, *(event(*each) for each in case.get("coordinator", []))]
        self.coordinator = self.write(self.imported.coordinator_stream, events)
        topic = [event(*each) for each in case.get("topic") or []]
        self.topic = self.write(self.imported.checkpoint_stream, topic) if topic else None

    def write(self, stream_name: str, events: list[NewEvent]) -> MemoryEventLog:
        log = MemoryEventLog(identify(stream_name))
        log.append([NewEvent(each.key, each.value, each.timestamp) for each in recorded(events, at=WRITTEN_MS)])
        self.imported.import_recorded(stream_name, list(log.read()))
        return log

    def facts(self) -> StartpointFacts:
        return StartpointFacts.read(self.coordinator)

    def checkpoints(self) -> dict[str, Offsets]:
        facts = self.facts()
        manager = checkpoint_manager(
            {**facts.job.config, VALIDATION: "false"}, coordinator=self.coordinator, checkpoint=self.topic
        )
        with CheckpointTool(manager, facts.job) as tool:
            return tool.current_inputs()

    def value(self, query: str, *values: Any) -> Any:
        ((value,),) = self.imported.connection.execute(query.encode(), values).fetchall()
        return value


def told(start: StartingOffset) -> str:
    place = " ".join(filter(None, (start.decided_by, start.startpoint_type, start.startpoint_value)))
    return place if start.starting_offset is None else f"{place} at {start.starting_offset}"


def python_starts(case: Case, job: Job) -> dict[str, str]:
    """Without the reasons why others are ignored, which the relation has."""
    checkpoints = job.checkpoints()
    facts = job.facts().with_checkpoints(checkpoints)
    starts = next_starts(facts, checkpoints, facts.requests, NOW_MS)
    found = {f"{task} {text_of(partition)}": told(start) for (task, partition), start in starts.items()}
    expected = case["starts"]
    return found | {at: start for at, start in expected.items() if found.get(at) == start.partition(" (")[0]}


def text_of(partition: SystemStreamPartition) -> str:
    return f"{partition}{'' if partition.key_bucket == -1 else f' (key bucket {partition.key_bucket})'}"


def sql_starts(_: Case, job: Job) -> dict[str, str]:
    partition = "projection.partition_text(system_name, stream_name, partition_id, key_bucket)"
    decision = "decided_by, startpoint_type, startpoint_value, starting_offset, ignored_reason"
    rows = job.imported.rows_as_of("starting_offset", f"task_name || ' ' || {partition}, {decision}", NOW_MS)
    return {at: told(StartingOffset(*start)) + (f" ({reason})" if reason else "") for at, *start, reason in rows}


def python_checkpoints(_: Case, job: Job) -> dict[str, str | None]:
    return {f"{task} {at}": offset for task, read in job.checkpoints().items() for at, offset in read.items()}


def sql_checkpoints(_: Case, job: Job) -> dict[str, str | None]:
    return {f"{task} {partition}": offset for (task, partition), offset in job.imported.checkpoint().items()}


def python_inputs(case: Case, _: Job) -> list[str] | None:
    found = inputs(case["config"])
    return None if found is None else sorted(f"{system}.{stream}" for system, stream in found)


def sql_inputs(case: Case, job: Job) -> list[str] | None:
    query = """
    select case when c.config ?| array['task.inputs', 'task.broadcast.inputs'] then
      array(select i.system_name || '.' || i.stream_name from projection.job_input(c.config) i order by 1) end
    from (select %s::jsonb) c (config)"""
    found: list[str] | None = job.value(query, json.dumps(case["config"]))
    return found


def python_changes(case: Case, _: Job) -> list[str]:
    return [change.config_key for change in write_once_changes(case["old"], case["new"])]


def sql_changes(case: Case, job: Job) -> list[str]:
    """The job is deployed with the old config; ten minutes later, what differs from it is set and deleted."""
    name = {"job.name": job.imported.name}
    old, new = case["old"] | (name if "job.name" in case["old"] else {}), case["new"] | name
    events = [
        *(config_set(key, value, at=WRITTEN_MS) for key, value in old.items()),
        *(config_set(key, value, at=LATER_MS) for key, value in new.items() if old.get(key) != value),
        *(config_deleted(key)._replace(timestamp=LATER_MS) for key in old if key not in new),
    ]
    job.write(job.imported.coordinator_stream, events)
    return [subject for (subject,) in job.imported.rows("anomaly", "subject", "anomaly = 'write_once_changed'")]


def sql_anomalies(case: Case, job: Job) -> list[list[str | int]]:
    job.imported.connection.execute("set intervalstyle = 'iso_8601'")  # as a reader's session may have
    rows = job.imported.rows("anomaly", "stream_kind, log_offset, anomaly, subject, detail")
    require_words(case, [row[-1] for row in rows])
    return [list(row[:-1]) for row in rows]


def sql_deployments(_: Case, job: Job) -> list[list[Any]]:
    """Number, source, first and last offset, keys set, changed and deleted, and the run."""
    offsets, keys = "first_log_offset, last_log_offset", "keys_set, keys_changed, keys_deleted"
    columns = f"deployment_number, source, {offsets}, {keys}, run_number"
    return list(map(list, job.imported.rows("config_deployment", columns)))


def sql_explained(case: Case, job: Job) -> dict[str, list[list[Any]]]:
    """The steps of a task and partition that win and lose, but for losing defaults, in the order of the decision."""
    query = """
    select outcome, rule, candidate, split_part(reason, ':', 1), stream_kind || ' ' || log_offset, reason
    from coordinator.explain(%s, '1', %s, projection.to_time(%s))
    where concat_ws('.', system_name, stream_name, partition_id) = %s"""
    asked_for = (job.imported.name, case.get("task", "t"), NOW_MS, case.get("partition", "kafka.in.0"))
    steps = job.imported.connection.execute(query.encode(), asked_for).fetchall()
    require_words(case, [step[-1] for step in steps])
    told = [step for step in steps if step[:2] != ("loses", "default")]
    return {outcome: [list(step[1:-1]) for step in told if step[0] == outcome] for outcome in ("wins", "loses")}


def sql_life(_: Case, job: Job) -> list[list[Any]]:
    """The steps of startpoints: offset (none: it expired), status, partition, task and value."""
    columns = "log_offset, status, partition_id, task_name, startpoint_value"
    return list(map(list, job.imported.rows_as_of("startpoint_history", columns, NOW_MS)))


def sql_state_lag(_: Case, job: Job) -> list[list[Any]]:
    """Store, short name of the factory, changelog's offset, commits since it changed, age in seconds, log offset."""
    factory = "substring(factory_name from '[^.]+$')"
    columns = f"store_name, {factory}, changelog_offset, commits_since_change, age_seconds, log_offset"
    return list(map(list, job.imported.rows("state_lag", columns)))


def sql_rows(case: Case, job: Job) -> dict[str, list[list[Any]]]:
    """The rows of each `relation: columns`, and of each `function(arguments): columns` of the job."""
    return {asked: list(map(list, job.imported.answer(*asked.split(": ", 1)))) for asked in case["rows"]}


def require_words(case: Case, sentences: list[str]) -> None:
    for words in case.get("words", "").split(" … "):
        assert not words or any(words in sentence for sentence in sentences), sentences
    assert [sentence for sentence in sentences if "PT" in sentence] == []


def python_expiry(case: Case, _: Job) -> bool:
    return is_expired(StartpointSpecific("1", case["created_ms"]), case["now_ms"])


def sql_expiry(case: Case, job: Job) -> Any:
    query = "select projection.is_expired(%s, projection.to_time(%s))"
    return job.value(query, case["created_ms"], case["now_ms"])


def sql_time(case: Case, job: Job) -> Any:
    since_2000 = "extract(epoch from projection.to_time(%s) - timestamptz '2000-01-01 00:00:00+00')"
    return job.value(f"select ({since_2000} * 1000000)::bigint", case["ms"])


class Question(NamedTuple):
    """How Python and SQL answer it."""

    python: Callable[[Case, Job], Any] | None
    sql: Callable[[Case, Job], Any]


QUESTIONS: Final = {
    "starts": Question(python_starts, sql_starts),
    "checkpoints": Question(python_checkpoints, sql_checkpoints),
    "config_now": Question(lambda _, job: dict(job.facts().job.config), lambda _, job: job.imported.config()),
    "inputs": Question(python_inputs, sql_inputs),
    "changed": Question(python_changes, sql_changes),
    "is_expired": Question(python_expiry, sql_expiry),
    "anomalies": Question(None, sql_anomalies),
    "deployments": Question(None, sql_deployments),
    "explained": Question(None, sql_explained),
    "life": Question(None, sql_life),
    "state_lag": Question(None, sql_state_lag),
    "rows": Question(None, sql_rows),
    "micros_since_2000": Question(lambda case, _: storable_micros(case["ms"]), sql_time),
}
"""What is asked, by the name of the answer in a case. Without Python, the rule stands in SQL only."""


@pytest.mark.parametrize("case", CASES)
def test_python_and_sql_give_the_answer_of_the_case(database: Connection, case: Case) -> None:
    name = f"rule-{next(NUMBERS)}"
    case = json.loads(json.dumps(case).replace("{job}", name))
    job = Job(database, name, case)
    (asked_for,) = case.keys() & QUESTIONS.keys()
    question, answer = QUESTIONS[asked_for], case[asked_for]
    assert question.sql(case, job) == answer
    if question.python is not None and case.get("refused"):
        with pytest.raises(ConfigError):
            question.python(case, job)
    elif question.python is not None:
        assert question.python(case, job) == answer


def test_a_rule_that_decides_a_start_is_the_one_that_explain_says_wins(database: Connection) -> None:
    """For each start in the database by then."""
    query = """
    select s.job_name, s.task_name, s.stream_name, s.decided_by, e.rule
    from coordinator.starting_offset s
    left join lateral coordinator.explain(s.job_name, s.job_id, s.task_name, null) e
      on (e.system_name, e.stream_name, e.partition_id, e.key_bucket)
       = (s.system_name, s.stream_name, s.partition_id, s.key_bucket) and e.outcome = 'wins'
    """
    rows = database.execute(query.encode()).fetchall()
    assert [row for row in rows if row[3] != row[4]] == []
    assert rows


def test_a_default_with_which_no_task_starts_is_no_type(database: Connection) -> None:
    default = config_set("systems.kafka.samza.offset.default", "fail")
    job = ImportedJob(database, "no-default", coordinator=[default, task_partition("kafka.in.0", "t")])
    assert job.rows("starting_offset", "task_name, decided_by, startpoint_type") == [("t", "default", None)]


def test_every_reason_to_ignore_a_candidate_has_a_case_and_stands_in_the_comment(database: Connection) -> None:
    starts = [start for case in CASES for start in case.values[0].get("starts", {}).values()]  # type: ignore[union-attr]
    known = {found[1] for start in starts if (found := re.search(r"\(([a-z ]+)\)$", start))}
    query = (
        "select col_description(attrelid, attnum) from pg_attribute"
        " where attrelid = 'coordinator.starting_offset'::regclass and attname = 'ignored_reason'"
    )
    ((comment,),) = database.execute(query.encode()).fetchall()
    assert {*re.findall(r"`([^`]+)`", comment)} == known


@pytest.mark.parametrize("column", ["anomaly", "subject"])
def test_every_anomaly_has_a_case_and_stands_in_the_comments(database: Connection, column: str) -> None:
    kinds = {row[2] for case in CASES for row in case.values[0].get("anomalies", ())}  # type: ignore[union-attr]
    query = (
        "select col_description(attrelid, attnum) from pg_attribute"
        " where attrelid = 'coordinator.anomaly'::regclass and attname = %s"
    )
    ((comment,),) = database.execute(query.encode(), (column,)).fetchall()
    assert {*re.findall(r"[a-z]+_[a-z_]+", comment)} == kinds


@pytest.mark.parametrize(
    ("input_offset", "number"),
    [
        *((str(number), number) for number in (0, 7, -7, 10**18, -(10**18), 2**63 - 1, -(2**63))),
        *(("007", 7), ("-0", 0), ("0000000000000000001", 1)),
        *((text, None) for text in (str(2**63), str(-(2**63) - 1), "00000000000000000001", "-", "")),
        *((text, None) for text in ("+7", " 7", "7 ", "1_000", "0x1f", "1e3", "7.0", "\uff17", "abc", "7\n", None)),
    ],
)
def test_an_offset_is_a_number_if_it_has_at_most_19_digits_and_bigint_has_it(
    database: Connection, input_offset: str | None, number: int | None
) -> None:
    """bigint accepts more: signs, white space, underscores and other bases."""
    assert database.execute("select projection.offset_number(%s)", (input_offset,)).fetchone() == (number,)
