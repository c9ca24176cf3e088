"""Keeps the consumer groups of jobs at the jobs' checkpoints, until it is stopped."""

from collections.abc import Callable, Iterable, Sequence

from coordstream.cli.bridge.clusters import Clusters
from coordstream.cli.bridge.commit import BridgeOptions, JobBridge
from coordstream.cli.follow.stop import StopRequest
from coordstream.database import DatabaseUnreachable, open_database
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

ChooseJobs = Callable[[Connection], Iterable[Job]]


class BridgeFollower:
    """Commits again and again. An outage of a cluster or the database is waited for, and reported with its end."""

    def __init__(
        self, options: BridgeOptions, choose_jobs: ChooseJobs, clusters: Clusters, report: Callable[[str], None]
    ) -> None:
        self._options, self._choose_jobs, self._clusters, self._report = options, choose_jobs, clusters, report
        self._bridges: dict[Job, JobBridge] = {}
        self._reported: set[str] = set()
        self._has_database = True

    def run(self, stop: StopRequest, seconds: float) -> None:
        """Commit every ``seconds`` until the stop is requested."""
        while not stop.is_requested:
            faults = list(dict.fromkeys(self._commit(stop)))
            for sentence in faults:
                if sentence not in self._reported:
                    self._report(sentence)
            self._reported = set(faults)
            stop.wait(seconds)

    def _commit(self, stop: StopRequest) -> list[str]:
        """Commit what has changed. Return a sentence for each fault."""
        faults: list[str] = []
        self._clusters.retry()
        try:
            with open_database(warns=False) as database:
                self._database_answers()
                for job in self._choose_jobs(database.connection):
                    if stop.is_requested:
                        break
                    faults += self._commit_job(database.connection, job)
        except DatabaseUnreachable as error:
            self._has_database = False
            faults.append(str(error))
        return faults

    def _commit_job(self, connection: Connection, job: Job) -> Sequence[str]:
        bridge = self._bridges.setdefault(job, JobBridge(job, self._options))
        had_failed = bridge.has_failed
        bridge.commit(connection, self._clusters)
        if had_failed and not bridge.has_failed:
            self._report(f"{job}: the offsets are committed again.")
        return bridge.faults

    def _database_answers(self) -> None:
        if not self._has_database:
            self._report("The database answers again.")
        self._has_database = True
