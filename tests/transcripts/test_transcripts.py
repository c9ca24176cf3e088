"""What commands print: each transcript beside this file is run again, and must come out the same.

Its first line names the fixture it runs on. A line `$ …` is run, with input lines `> …`; what follows is what it
printed: standard output, standard error after `! `, and the exit code of a command; of `page` and `api` the text of a
page, or JSON, and its status; of `metrics` those of ours. Values that differ from run to run are replaced.
`RENEW_TRANSCRIPTS=1 pytest tests/transcripts` writes the transcripts again.
"""

import io
import json
import os
import re
import shlex
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from coordstream.cli import checkpoint
from eventlog.events import RecordedEvent
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from managers.stored_messages import make_envelope
from tests.fixtures.coordstream.command_line import CommandLine, config_event, recording
from tests.fixtures.coordstream.rewindable_job import RewindableJob
from tests.fixtures.coordstream.rewound_job import NOW, set_clock, unreachable_inputs
from tests.fixtures.coordstream.serve.serving import serving
from tests.fixtures.coordstream.serve.site import Page
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE

pytestmark = pytest.mark.slow

FOLDER: Final = Path(__file__).parent
RENEW: Final = "RENEW_TRANSCRIPTS"
KAFKA_WORLDS: Final = {"kafka_cli", "orders"}
_OF_EVENTS: Final = "19|20[01]|202[0-5]|2026-11-2[123]|2[19]00|2999"
"""How times of events and in arguments begin: others are those of the run."""

_UNSTABLE: Final = (
    (re.compile(rf"\b(?!{_OF_EVENTS})\d{{4}}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|\+00:00)?)?"), "TIME"),
    (re.compile(r"\b(\d+|an?) (second|minute|hour|day|week|month|year)s? ago\b|(?<=\t)now$", re.MULTILINE), "AGO"),
    (re.compile(r"(?<=over )\d+:\d\d:\d\d"), "SPAN"),
    (re.compile(r"(?<=127\.0\.0\.1:)\d{2,}"), "PORT"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"\d+(\.\d+)? ms\b"), "N ms"),
    (re.compile(r"\d+(\.\d+)? s\b"), "N s"),
    (re.compile(r"(?<=backend )\d+"), "PID"),
    (re.compile(r"(?<=database )test_\d+"), "NAME"),
    (re.compile(r'(?<=age_seconds": )[\d.]+|(?<=seconds_behind": )[\d.]+'), "N"),
    (re.compile(r"(_age_seconds|_lag_seconds)(\{.*\}) [\d.]+$", re.MULTILINE), r"\1\2 N"),
    (re.compile(r"\b\d+-[0-9a-f]{16}\b"), "VERSION"),
)


class Step(NamedTuple):
    """A line that is run, and its input."""

    line: str
    given: list[str]


class Session:
    """Runs the lines of a transcript on a database."""

    def __init__(self, cli: CommandLine, job: RewindableJob | None, monkeypatch: pytest.MonkeyPatch) -> None:
        self._cli = cli
        self._job = job
        self._monkeypatch = monkeypatch

    def run(self, step: Step) -> str:
        """What a line prints."""
        words = shlex.split(step.line)
        settings = dict(word.split("=", 1) for word in words if re.match("[A-Z_]+=", word))
        verb, *arguments = words[len(settings) :]
        match verb:
            case "coordstream":
                return self._command(settings, arguments)
            case "sql":
                with self._cli.connection() as connection:
                    connection.execute(arguments[0].encode())
            case "write":
                Path(arguments[0]).write_text("".join(f"{line}\n" for line in step.given), encoding="utf-8")
            case "record":
                events = [_event(number, line) for number, line in enumerate(step.given)]
                name = checkpoint_stream_name if arguments[1:] else coordinator_stream_name
                recording(Path(f"{'-'.join(arguments)}.jsonl"), events, name(arguments[0]))
            case "follow":
                self._cli("follow", *arguments, "--once")
            case "page" | "api":
                with serving(self._cli.database_url) as served:
                    answer = served.client.get(arguments[0])
                text = Page(answer.text).lines if verb == "page" else json.dumps(answer.json(), indent=1) + "\n"
                return f"{self._stable(text)}status {answer.status_code}\n"
            case "metrics":
                for limit in ("WAIT_SECONDS", "BUDGET_SECONDS"):
                    self._monkeypatch.setattr(f"coordstream.serve.monitoring.{limit}", PATIENCE)
                with serving(self._cli.database_url) as served:
                    every = served.client.get("/metrics").text.splitlines()
                return self._stable("\n".join(line for line in every if line.startswith("coordstream_")))
            case "job":
                found = attrgetter(arguments[0])(self._job)(*map(_argument, arguments[1:]))
                return "" if found is None else f"{found}\n"
            case _:
                raise AssertionError(f"unknown verb of a transcript: {verb}")
        return ""

    def _command(self, settings: dict[str, str], words: list[str]) -> str:
        with self._monkeypatch.context() as patch:
            if "<" in words:
                patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(words.pop()).read_bytes())))
                words.remove("<")
            if columns := settings.pop("COLUMNS", None):
                patch.setattr("coordstream.cli.output.page_width", lambda: int(columns))
                patch.setattr("coordstream.cli.output.in_words", lambda *_: "AGO")  # "10 days ago" is wider than "9 …"
            for name, value in settings.items():
                patch.setenv(name, value)
            ended = self._cli(*words)
        errors = "".join(f"! {line}\n" for line in ended.err.splitlines())
        return f"{self._stable(ended.out)}{self._stable(errors)}exit code {ended.code}\n"

    def _stable(self, text: str) -> str:
        """The text with the values that differ from run to run replaced."""
        text = text.replace("\r\n", "\n").replace(str(Path.cwd()), "FOLDER")
        own = make_envelope()
        for before in (" on ", "@"):
            text = text.replace(f"{own.username}{before}{own.host}", f"USER{before}HOST")
        for pattern, name in _UNSTABLE:
            text = pattern.sub(name, text)
        return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def _argument(word: str) -> object:
    """A number or other JSON, or a text."""
    try:
        return json.loads(word)
    except json.JSONDecodeError:
        return word


def _event(offset: int, line: str) -> RecordedEvent:
    """An event: its time in ms, its config key or the JSON of its key, and its value, with two blanks between them."""
    time, key, *value = line.split("  ", 2)
    if key.startswith(("[", "{")):
        return RecordedEvent(offset, int(time), 0, key.encode(), value[0].encode() if value else None)
    return config_event(offset, key, value[0] if value else None, time=int(time))


def steps_of(text: str) -> list[Step]:
    """The lines of a transcript that are run."""
    steps: list[Step] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append(Step(line[2:], []))
        elif line.startswith("> "):
            steps[-1].given.append(line[2:])
    return steps


def transcripts() -> Iterator[object]:
    """The transcripts, each with the fixture that it runs on."""
    for path in sorted(FOLDER.glob("*.txt")):
        world = path.read_text(encoding="utf-8").partition(":")[0].removeprefix("# ")
        yield pytest.param(path, world, id=path.stem, marks=[pytest.mark.kafka] if world in KAFKA_WORLDS else [])


@pytest.fixture
def empty(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, empty_database_url: str) -> CommandLine:
    """The command line on a database with nothing in it."""
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", empty_database_url)
    cli.database_url = empty_database_url
    return cli


@pytest.fixture
def rewound(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The job of recording A in logs in Postgres, an hour after its last commit; its inputs cannot be reached."""
    set_clock(monkeypatch, NOW)
    monkeypatch.setattr(checkpoint, "system_clock", lambda: NOW)
    unreachable_inputs(monkeypatch)
    return appendable


@pytest.fixture
def orders(kafka_cli: CommandLine, topics: Topics) -> tuple[CommandLine, RewindableJob]:
    """A stopped job with 20 records in both partitions of its input, of which its tasks have processed 15 and 10."""
    job = RewindableJob(topics, "orders")
    for partition, offset in enumerate((14, 9)):
        job.produce(partition, 20, time=1_000_000 * (partition + 1))
        job.commit(partition, offset, time=1_000_000)
    return kafka_cli, job


@pytest.mark.parametrize(("path", "world"), list(transcripts()))
def test_transcript(path: Path, world: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    found = request.getfixturevalue(world)
    cli, job = found if isinstance(found, tuple) else (found, None)
    session = Session(cli, job, monkeypatch)
    text = path.read_text(encoding="utf-8")
    made = [text.partition("\n")[0] + "\n"]
    for step in steps_of(text):
        given = "".join(f"> {line}\n" for line in step.given)
        made.append(f"\n$ {step.line}\n{given}{session.run(step)}")
    if os.environ.get(RENEW):
        path.write_text("".join(made), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "".join(made)
