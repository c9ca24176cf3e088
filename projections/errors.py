"""Errors of the projections: one small tree, each with its data as attributes."""

from collections.abc import Sequence

from eventlog.errors import PortableError


class ProjectionError(PortableError):
    """The projection could not go on."""


class PositionMoved(ProjectionError):
    """Another projector has moved the position of a log: this one must stop."""

    def __init__(self, stream_name: str, expected: int) -> None:
        self.stream_name = stream_name
        self.expected = expected
        super().__init__(
            f"the position of {stream_name} is no longer {expected}: another projector has moved it, so this one stops"
        )


class LogRebuilt(ProjectionError):
    """A log was rebuilt, so what a projector remembers of its rows no longer applies: it must load them again."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"The rows of {stream_name} were rebuilt, so its state must be loaded again")


class ArchiveIncomplete(ProjectionError):
    """The relations have events of a log that the archive lacks."""

    def __init__(self, stream_name: str, first_offset: int, last_offset: int) -> None:
        self.stream_name = stream_name
        self.first_offset = first_offset
        self.last_offset = last_offset
        super().__init__(
            f"The archive of {stream_name} lacks events of the offsets {first_offset} to {last_offset}, of which the "
            "relations have rows. A rebuild would delete them. Restore the schema eventlog from a backup, or attach "
            "its detached partition again"
        )


class RebuildFailed(ProjectionError):
    """Rows still differed from the events after a rebuild had replaced them."""

    def __init__(self, stream_name: str, tables: Sequence[str]) -> None:
        self.stream_name = stream_name
        self.tables = tuple(tables)
        super().__init__(
            f"The rows of {stream_name} still differ after the rebuild ({', '.join(tables)}). Nothing was changed. "
            "Report this as a bug"
        )


class FoldVersionDiffers(ProjectionError):
    """The rows of a log were folded by other code, with another key or with other secret patterns."""

    def __init__(self, stream_name: str, stored: str, ours: str) -> None:
        self.stream_name = stream_name
        self.stored = stored
        self.ours = ours
        super().__init__(f"{stream_name} was folded as {stored}, this program folds as {ours}: {_remedy(stored, ours)}")


def _remedy(stored: str, ours: str) -> str:
    """What to do where two fold versions differ: each is a number of the code, a dash and a digest of settings."""
    stored_code, _, stored_settings = stored.partition("-")
    our_code, _, our_settings = ours.partition("-")
    if stored_settings != our_settings:
        return (
            "the key of the installation or the secret patterns are others, so give back COORDSTREAM_MASK_KEY (or the "
            "key file in COORDSTREAM_HOME) and COORDSTREAM_SECRET_PATTERNS as they were, or export the database's "
            "streams with --raw and import them into a new database"
        )
    if int(stored_code) > int(our_code):
        return "its fold is of a newer version, so go on with the coordstream that folded it"
    return "its fold is of an older version, so run `coordstream rebuild --all`"


class OtherCluster(ProjectionError):
    """The brokers are those of another Kafka cluster than the logs of the database."""

    def __init__(self, stream_name: str, known: str, cluster_id: str) -> None:
        self.stream_name = stream_name
        self.known = known
        self.cluster_id = cluster_id
        super().__init__(
            f"{stream_name} is on the Kafka cluster {cluster_id}, the database has logs of {known}, and one database "
            "serves one Kafka cluster: give the brokers of that one, or a database of its own"
        )


class NothingFolded(ProjectionError):
    """A log stands in the archive, and the projection has no rows of it."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(
            f"the rows of {stream_name} are missing, its events are in the archive: run `coordstream rebuild --all`"
        )


class PositionBeyondEnd(ProjectionError):
    """The position of a log that Postgres keeps is beyond its end, so events may be missing in the relations."""

    def __init__(self, stream_name: str, position: int, end_offset: int) -> None:
        self.stream_name = stream_name
        self.position = position
        self.end_offset = end_offset
        super().__init__(
            f"the position {position} of {stream_name} is beyond the end of the log, {end_offset}: "
            "run `coordstream rebuild --all`"
        )


class StreamBusy(ProjectionError):
    """Another process is at work on the same stream."""

    def __init__(self, stream_name: str, holder: str) -> None:
        self.stream_name = stream_name
        self.holder = holder
        super().__init__(f"{stream_name} is being read by {holder}: wait until that has ended, or stop it")


class WorkerEnded(ProjectionError):
    """A process that imported a stream ended without a word; ``exit_code`` is as that of `multiprocessing`."""

    def __init__(self, stream_name: str, exit_code: int | None) -> None:
        self.stream_name = stream_name
        self.exit_code = exit_code
        how = f"was ended by signal {-exit_code}" if exit_code and exit_code < 0 else "ended"
        super().__init__(
            f"the process that imported {stream_name} {how} before it was done, as happens when memory runs out: "
            "import again, which goes on where it stopped"
        )


class LockLost(ProjectionError):
    """The streams' locks are not ours any more: they must be taken again before anything is written."""

    def __init__(self) -> None:
        super().__init__(
            "the session that held the locks of the streams is another one now: connect to Postgres itself, not through"
            " a pooler"
        )


class ArchiveMissing(ProjectionError):
    """A table of the archive was dropped; nothing in the database can say what it held."""

    def __init__(self, table: str) -> None:
        self.table = table
        super().__init__(
            f"the table {table} is missing: restore the schema eventlog from a backup, or drop the schemas eventlog, "
            "projection and coordinator, migrate, and import or follow the streams again"
        )


class RelationInUse(ProjectionError):
    """An object outside coordstream hangs on a relation that has to be made again."""

    def __init__(self, relation: str) -> None:
        self.relation = relation
        super().__init__(
            f"{relation} cannot be made again because a view or function of yours depends on it: "
            "drop yours, migrate, and make yours again"
        )
