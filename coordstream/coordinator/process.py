"""The process of a job coordinator: takes the job's lock, starts the job, and serves until it is stopped."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from queue import Empty
from time import monotonic
from typing import Final

import psycopg

from coordstream.coordinator.checks import (
    ConfigWatch,
    OpenAdmins,
    PeriodicCheck,
    StreamPartitionCountMonitor,
    StreamRegexMonitor,
)
from coordstream.coordinator.containers_server import LOOPBACK, CoordinatorServer
from coordstream.coordinator.job_lock import JobLock, JobTakenOver
from coordstream.metric_text import gauge, metric
from coordstream.web_server import Report
from eventlog.errors import ConfigError, EventLogError, list_names, printable_text
from eventlog.log import EventLog
from eventlog.source import SourceUnavailable
from eventlog.streams import StreamIdentity
from managers.assignments.job_model_assignments import LocalityManager
from managers.config.job_config import write_once_changes
from managers.coordinator.job_coordinator import JobCoordinator, describe_difference, plan_job, read_job_config
from managers.coordinator.serving_context import JobAttempt, JobServingContext
from managers.job_models.job_model import compare_container_models
from managers.job_names import Config
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.wrapped_logs import FencedLog

CHECK_SECONDS: Final = 1.0
"""How often the lock is checked while nothing happens."""
RETRY_SECONDS: Final = 10.0
"""How long after an outage the job model is computed again, if that has failed."""
HANGS_AFTER_SECONDS: Final = 60.0
"""How long a turn of the process's loop may take before it counts as hanging."""


@dataclass(frozen=True)
class CoordinatorRun:
    """What `coordstream coordinator run` was asked to do."""

    job: str
    open_admins: OpenAdmins
    report: Report
    """Prints a line. Called in any thread."""
    submitted: Config | None = None
    """None: the config on the stream is used."""
    restarts_on_change: bool = False
    host: str = LOOPBACK
    port: int = 0
    """0: any free port."""


class CoordinatorProcess:
    """One job's coordinator, from the lock, which the caller has taken, to the stop.

    Everything that writes runs in one thread, and requires the lock: before each step, and again at each append.
    """

    def __init__(self, run: CoordinatorRun, log: EventLog, lock: JobLock) -> None:
        """Read the coordinator stream. Raises what the log raises."""
        self._options: Final = run
        self._store: Final = CoordinatorStreamStore(FencedLog(log, self._require_kept_lock))
        self._store.init()
        self._lock: Final = lock
        self._coordinator: Final = JobCoordinator(self._store, before_write=self._require_lock)
        self.context: Final = JobServingContext(LocalityManager(self._store).read_locality)
        self._watch: Final = ConfigWatch(self._store, self.context, run.report, adapts=run.restarts_on_change)
        self._server: CoordinatorServer | None = None
        self._checks: Sequence[PeriodicCheck] = ()
        self._is_unchecked = False
        self._outage = ""
        self._failure = ""
        self._retry_at: float | None = None
        self._stepped_at: float | None = None

    def start(self) -> JobAttempt:
        """Start the job, and serve its job model from now on. Raises as `plan_job` and `JobCoordinator.start`."""
        config = read_job_config(self._store, self._options.submitted)
        with self._options.open_admins(config) as admins:
            plan = plan_job(self._store, config, admins)
            attempt = self._coordinator.start(plan, admins, is_submitted=self._options.submitted is not None)
        self.context.attempt = attempt
        return attempt

    @contextmanager
    def serving(self) -> Iterator[tuple[JobAttempt, str, str]]:
        """Start the job, and run the services during the block; they stop in reverse order.

        The block gets the attempt, the URL for containers, and a line to print. A port that is taken is refused before
        anything is written. Raises as `start`.
        """
        with ExitStack() as stopped:
            run = self._options
            self._server = CoordinatorServer(self.context, run.host, run.port, run.report)
            stopped.callback(self._server.stop)
            attempt = self.start()
            monitors = [
                monitor(self.context, run.open_admins, run.report)
                for monitor in (StreamPartitionCountMonitor, StreamRegexMonitor)
            ]
            line = self._server.start()
            self._coordinator.publish_url(self._server.url)
            self._checks = (*monitors, self._watch)
            for check in self._checks:
                stopped.callback(check.stop)
                check.start()
            yield attempt, self._server.url, line

    def wait(self) -> None:
        """React to changes of the inputs and of the config, until `request_stop`.

        Raises `CoordinatorRunning`: the lock was lost, and another process has it now; `JobTakenOver`: another process
        had it meanwhile, and changed the job.
        """
        while True:
            self._stepped_at = monotonic()
            try:
                change = self.context.changes.get(timeout=CHECK_SECONDS)
            except Empty:
                self._keep_lock()
                if self._retry_at is not None and monotonic() >= self._retry_at:
                    self._adapt()
                continue
            if change is None:
                return
            self._options.report(f"{change}.")
            self._failure = ""
            self._adapt()

    def failures(self) -> Iterator[str]:
        """What does not work in the process now, as sentences. An outage of others is none: a restart does not help."""
        if self._stepped_at is not None and monotonic() > self._stepped_at + HANGS_AFTER_SECONDS:
            yield f"The coordinator hangs: it has not checked its lock for {monotonic() - self._stepped_at:.0f} s."
        if self._server is not None:
            yield from self._server.failures()
        for check in self._checks:
            yield from check.failures()

    def collect(self) -> Iterator[str]:
        """The metrics of the process: its job model, its metadata, its services.

        A gauge of a change is 1 after the change, until the process ends.
        """
        has_outage = bool(self._outage) or any(check.has_outage for check in self._checks)
        yield gauge("coordinator_outage", "1 while brokers or database do not answer, else 0", has_outage)
        if (attempt := self.context.attempt) is not None:
            yield gauge("coordinator_containers", "Containers of the job model", len(attempt.job_model.containers))
            yield gauge("coordinator_tasks", "Tasks of the job model", len(attempt.job_model.tasks))
        metrics = self._coordinator.metrics
        attempts = [((), metrics.application_attempt_count)]
        text = "Starts of the same deployment without a change"
        yield metric("coordinator_application_attempts_total", text, (), attempts)
        yield gauge("coordinator_new_deployment", "1 if the process started a new deployment", metrics.new_deployment)
        yield gauge("coordinator_job_model_changed", "1 if a deployment's job model changed", metrics.job_model_changed)
        yield gauge("coordinator_config_changed", "1 if a deployment's config changed", metrics.config_changed)
        steps = ("generation", "read", "write")
        failures = [((step,), getattr(metrics, f"metadata_{step}_failed_count")) for step in steps]
        yield metric("coordinator_metadata_failures_total", "Failed steps of metadata", ("step",), failures)
        if self._server is not None:
            yield from self._server.collect()
        gauges = [((name,), value) for check in self._checks for name, value in [*check.gauges.items()]]
        yield metric("coordinator_monitor", "A gauge of Samza's monitors of inputs", ("gauge",), gauges)

    def request_stop(self) -> None:
        """End `wait`. May be called by a signal handler or another thread."""
        self.context.changes.put(None)

    def _keep_lock(self) -> None:
        try:
            self._require_lock()
        except (EventLogError, psycopg.Error) as error:
            self._report_outage(_outage_of(error))
        else:
            self._report_outage("")

    def _report_outage(self, outage: str) -> None:
        if outage != self._outage:
            self._outage = outage
            self._options.report(outage or "Recovered.")

    def _require_lock(self) -> None:
        """Raise unless this process has the lock, and the job is as this process left it. Called before each step."""
        self._is_unchecked |= self._lock.require()
        if self._is_unchecked:
            if not self._coordinator.is_current(self._require_started()):
                raise JobTakenOver(
                    f"Another coordinator of {printable_text(self._options.job)} wrote another job model while "
                    "this one had lost its lock. Start this one again."
                )
            self._is_unchecked = False

    def _require_kept_lock(self) -> None:
        """Raise unless this process has had the lock since the step began. Called at each append.

        The stream must not be read here: a store that is changing its values would take what others wrote for known.
        """
        self._is_unchecked |= self._lock.require()
        if self._is_unchecked:
            self._require_started()
            raise EventLogError(
                f"The database ended the session with the lock of {printable_text(self._options.job)}, so nothing was "
                "written. The coordinator checks the job, and tries again."
            )

    def _require_started(self) -> JobAttempt:
        """The attempt. Raises `JobTakenOver` before it was written: another process may have written one."""
        if self.context.attempt is None:
            raise JobTakenOver(
                f"The start of {printable_text(self._options.job)} was interrupted: the database ended the session "
                "that held the job's lock. Start it again."
            )
        return self.context.attempt

    def _adapt(self) -> None:
        """Compute the job model again; write it if that was asked for. An error leaves the current one in place.

        It is tried again after an outage: monitors report a change only once.
        """
        self._retry_at = None
        try:
            self._plan_again()
        except (EventLogError, psycopg.Error) as error:
            if not isinstance(error, ConfigError):
                self._retry_at = monotonic() + RETRY_SECONDS
            reason = "the database does not answer" if isinstance(error, psycopg.Error) else str(error).rstrip(".")
            if reason != self._failure:
                self._options.report(f"The job model stays as it is: {reason}.")
                self._failure = reason

    def _plan_again(self) -> None:
        run, current = self._options, self._require_started()
        config = read_job_config(self._store, None)
        if changes := write_once_changes(current.config, config):
            names = list_names([change.config_key for change in changes])
            raise ConfigError(f"This changes {names}, which may be set only once. Restore the old value.")
        with run.open_admins(config) as admins:
            plan = plan_job(self._store, config, admins)
            if run.restarts_on_change:
                with self._watch.lock:
                    self.context.attempt = self._coordinator.start(plan, admins)
        difference = describe_difference(current.job_model, plan.job_model)
        if compare_container_models(current.job_model, plan.job_model):
            run.report("The tasks and containers of the job model do not change.")
        elif run.restarts_on_change:
            run.report(f"The job model changed: {difference}. Restart the containers to use it.")
        else:
            run.report(f"A restart would change the job model: {difference}. Restart, or use --restart-on-change.")


def _outage_of(error: Exception) -> str:
    if isinstance(error, psycopg.Error):
        return "The database of the lock does not answer. Retrying; containers are still served."
    if isinstance(error, SourceUnavailable):
        return "The coordinator stream does not answer. Retrying; containers are still served."
    return str(error)


class WatchedCoordinator:
    """What is served of a coordinator (`coordinator run --metrics-port`): also before it has the job's lock."""

    def __init__(self, stream: StreamIdentity) -> None:
        """``stream``: the coordinator stream of the job."""
        self.process: CoordinatorProcess | None = None
        """None: the command waits for the lock."""
        self._job: Final = stream.job_name, stream.job_id

    def failures(self) -> Iterator[str]:
        if self.process is not None:
            yield from self.process.failures()

    def collect(self) -> Iterator[str]:
        text = "1 if this process coordinates the job, 0 while it waits"
        samples = [(self._job, self.process is not None)]
        yield metric("coordinator_active", text, ("job_name", "job_id"), samples)
        if self.process is not None:
            yield from self.process.collect()
