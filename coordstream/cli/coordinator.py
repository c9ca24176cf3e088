"""`coordstream coordinator run`: coordinate a job, as the application master of Samza does."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Final

import psycopg
import typer

from coordstream.cli.arguments import InputServers, JobWord, Json, parse_port
from coordstream.cli.long_running import stopped_by_signals
from coordstream.cli.output import print_json
from coordstream.cli.serve import parse_address
from coordstream.cli.submission import PropertyFile, ensure_coordinator_stream, masked_changes, read_submission
from coordstream.coordinator.job_lock import CoordinatorRunning, JobLock
from coordstream.database import database_errors, open_database
from coordstream.errors import note, require_packages
from coordstream.event_logs import coordinator_stream_of, open_lasting_log
from coordstream.input_system import input_options, require_answer
from coordstream.settings import load_settings
from eventlog.postgres.connection import connect
from eventlog.streams import identify
from managers.assignments.job_model_assignments import ContainerLocality
from managers.coordinator.job_coordinator import systems_of
from managers.coordinator.serving_context import JobAttempt, preferred_hosts
from managers.errors import WriteOnceChange
from managers.job_names import Config, coordinator_stream
from managers.stream_creation import InputAdmin

if TYPE_CHECKING:
    from coordstream.coordinator.process import CoordinatorProcess

app = typer.Typer()
WAIT_SECONDS: Final = 0.5


@app.command()
def run(
    job: JobWord,
    config: Annotated[Path | None, PropertyFile] = None,
    wait: Annotated[bool, typer.Option("--wait", help="If the job has a coordinator, take over when it ends.")] = False,
    restart_on_change: Annotated[
        bool,
        typer.Option("--restart-on-change", help="Write the new job model when the job's inputs or config change."),
    ] = False,
    bind: Annotated[str, typer.Option("--bind", metavar="ADDRESS", help="The address to serve on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", parser=parse_port, show_default="any free one", help="The port.")
    ] = 0,
    input_servers: InputServers = None,
    metrics_port: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT",
            help="Serve /metrics and /healthz of this process over HTTP. All but loopback hosts need a token.",
        ),
    ] = None,
    metrics_token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file with the token that these requests need.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Start a job's coordinator, and serve its job model and config to containers until it is stopped.

    Without --config, the config on the coordinator stream is used. This command starts no containers.

    A lock in the database ensures that a job has one coordinator.

    Example: coordstream coordinator run payments --restart-on-change
    """
    require_packages("starlette", "uvicorn", "prometheus_client")
    from coordstream.coordinator.process import (  # noqa: PLC0415 (needs the extra)
        CoordinatorProcess,
        CoordinatorRun,
        WatchedCoordinator,
    )
    from coordstream.serve.process import serving_process  # noqa: PLC0415 (needs the extra)

    if metrics_token_file is not None and metrics_port is None:
        raise typer.BadParameter("--metrics-token-file needs --metrics-port.")
    submitted = None if config is None else read_submission(job, config)
    stream = coordinator_stream_of(job) if submitted is None else coordinator_stream(submitted).stream_name
    with open_database() as database:
        url = database.url
    admins = partial(open_admins, given_servers=input_servers)
    request = CoordinatorRun(job, admins, note, submitted, restart_on_change, bind, port)
    connect_lock = partial(connect, url, application_name="coordstream coordinator")
    watched = WatchedCoordinator(identify(stream, "coordinator"))
    metrics: AbstractContextManager[None] = nullcontext()
    if metrics_port is not None:
        metrics = serving_process(parse_address(metrics_port), metrics_token_file, watched, note)
    with (
        metrics,
        database_errors(load_settings()),
        closing(JobLock(connect_lock, job, stream)) as lock,
    ):
        take(job, lock, wait=wait)
        if submitted is not None:
            ensure_coordinator_stream(submitted)
        with masked_refusals(), open_lasting_log(identify(stream, "coordinator"), url) as log:
            watched.process = CoordinatorProcess(request, log, lock)
            coordinate(watched.process, job, as_json=as_json)


@contextmanager
def masked_refusals() -> Iterator[None]:
    """Raise `WriteOnceChange` with fingerprints in place of secrets."""
    try:
        yield
    except WriteOnceChange as error:
        raise WriteOnceChange(masked_changes(load_settings().secrets, error.changes)) from None


def coordinate(process: "CoordinatorProcess", job: str, *, as_json: bool) -> None:
    """Start the job, and serve until a signal comes."""
    with process.serving() as (attempt, url, line), stopped_by_signals(lambda _number: process.request_stop()):
        note(describe_attempt(job, attempt))
        note(line)
        if as_json:
            print_json([attempt_row(attempt, url, process.context.read_locality())])
            sys.stdout.flush()
        process.wait()
    note(f"Stopped the coordinator of {job}.")


def take(job: str, lock: JobLock, *, wait: bool) -> None:
    """Take the job's lock. Raises `CoordinatorRunning` if another process has it, unless ``wait`` is set."""
    said = ""
    while True:
        try:
            if lock.take():
                return
            holder = lock.holder()
            if not wait:
                raise CoordinatorRunning(job, holder)
            sentence = f"Waiting until the current coordinator ends: {holder}."
        except psycopg.OperationalError:
            lock.close()
            if not wait:
                raise
            sentence = "Waiting until the current coordinator ends: its database does not answer."
        note("" if sentence == said else sentence)
        said = sentence
        sleep(WAIT_SECONDS)


@contextmanager
def open_admins(config: Config, *, given_servers: str | None) -> Iterator[Mapping[str, InputAdmin]]:
    """Admins of the systems that a job's coordinator needs. Raises `InputUnknown`."""
    from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415 (loads kafka-python)

    options = {system: input_options(config, system, given_servers) for system in sorted(systems_of(config))}
    for each in set(options.values()):
        require_answer(each)
    with ExitStack() as opened:
        yield {system: opened.enter_context(KafkaAdmin(each)) for system, each in options.items()}


def describe_attempt(job: str, attempt: JobAttempt) -> str:
    """The job model in numbers, and what is different from the previous attempt."""
    model = attempt.job_model
    changes = ", ".join(sorted(change.value for change in attempt.changes)) or "none"
    return f"Coordinating {job}: containers {len(model.containers)}, tasks {len(model.tasks)}; changes: {changes}."


def attempt_row(attempt: JobAttempt, url: str, localities: Mapping[str, ContainerLocality]) -> dict[str, object]:
    """The attempt, for --json, with what is needed to start its containers."""
    return {
        "coordinator_url": url,
        "preferred_hosts": preferred_hosts(attempt.job_model, localities),
        "epoch_id": attempt.metadata.epoch_id,
        "config_id": attempt.metadata.config_id,
        "job_model_id": attempt.metadata.job_model_id,
        "changes": sorted(change.value for change in attempt.changes),
        "containers": len(attempt.job_model.containers),
        "tasks": len(attempt.job_model.tasks),
    }
