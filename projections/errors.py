"""The errors of the projections; each has its data as attributes."""

from eventlog.errors import PortableError
from eventlog.source import POSTGRES


class ProjectionError(PortableError):
    """Base class of the errors of the projections."""


class PositionMoved(ProjectionError):
    """Another projector has moved a log's position, so this one must stop."""

    def __init__(self, stream_name: str, expected: int) -> None:
        self.stream_name = stream_name
        self.expected = expected
        super().__init__(
            f"The position of {stream_name} is no longer {expected}: another projector has moved it, so this one stops."
        )


class LogRebuilt(ProjectionError):
    """A log was rebuilt, so what a projector remembers of its rows no longer applies: it must load them again."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"The rows of {stream_name} were rebuilt, so its state must be loaded again.")


class LogBlocked(ProjectionError):
    """Another session blocks the projectors of a log."""

    reason = "another session has locked its rows, as a rebuild or a retention does"

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"{stream_name} waits: {self.reason}.")


class ArchiveIncomplete(ProjectionError):
    """The relations have events of a log that the archive lacks. ``topic_may_help``: its topic may have them still."""

    def __init__(self, stream_name: str, first_offset: int, last_offset: int, *, topic_may_help: bool = False) -> None:
        self.stream_name = stream_name
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.topic_may_help = topic_may_help
        fetch = ", or run `coordstream rebuild --from kafka`, which fetches those that the topic still has"
        super().__init__(
            f"The archive of {stream_name} lacks events of the offsets {first_offset} to {last_offset}, of which the "
            "relations have rows. A rebuild would delete them. Restore the schema eventlog from a backup or attach "
            f"its detached partition again{fetch if topic_may_help else ''}."
        )


class RebuildFailed(ProjectionError):
    """Rows still differed from the events after a rebuild had replaced them."""

    def __init__(self, stream_name: str, table: str) -> None:
        self.stream_name = stream_name
        self.table = table
        super().__init__(
            f"The rows of {stream_name} in {table} still differ after the rebuild. Nothing was changed. "
            "Report this as a bug."
        )


class RowsDiffer(ProjectionError):
    """The rows of a log are not those that its archived events fold to, so events cannot be selected by them."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(
            f"The rows of {stream_name} differ from its archived events, so nothing was detached. "
            "Run `coordstream rebuild --all`, and try again."
        )


class FoldVersionDiffers(ProjectionError):
    """Other code, or other settings (mask key, secret patterns), folded the rows of a log."""

    def __init__(self, stream_name: str, stored: str, ours: str) -> None:
        self.stream_name = stream_name
        self.stored = stored
        self.ours = ours
        super().__init__(
            f"{stream_name} was folded with version {stored}, but this program has {ours}. {_remedy(stored, ours)}"
        )


def _remedy(stored: str, ours: str) -> str:
    """What to do if two fold versions differ; each is a number of the code, a dash and a digest of the settings."""
    stored_code, _, stored_settings = stored.partition("-")
    our_code, _, our_settings = ours.partition("-")
    if stored_settings != our_settings:
        return (
            "The mask key or the secret patterns have changed: restore COORDSTREAM_MASK_KEY (or the key file in "
            "COORDSTREAM_HOME) and COORDSTREAM_SECRET_PATTERNS, or export the database's streams with --raw and import "
            "them into a new database."
        )
    if int(stored_code) > int(our_code):
        return "A newer version of coordstream folded it: use that version."
    return "An older version of coordstream folded it: run `coordstream rebuild --all`."


class OtherCluster(ProjectionError):
    """The brokers belong to another Kafka cluster than the logs of the database."""

    def __init__(self, stream_name: str, known: str, cluster_id: str) -> None:
        self.stream_name = stream_name
        self.known = known
        self.cluster_id = cluster_id
        super().__init__(
            f"{stream_name} is on the Kafka cluster {cluster_id}, but the database has logs of {known}. A database "
            "serves one Kafka cluster: use the brokers of that cluster, or another database."
        )


class NothingFolded(ProjectionError):
    """A log is in the archive, but the projection has no rows of it."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(
            f"The rows of {stream_name} are missing, but its events are in the archive. "
            "Run `coordstream rebuild --all`."
        )


class NotInKafka(ProjectionError):
    """A log was not read from Kafka, so it has no topic there. ``backend`` is ``postgres`` or ``recording``."""

    def __init__(self, stream_name: str, backend: str) -> None:
        self.stream_name = stream_name
        self.backend = backend
        what = "is a log in Postgres" if backend == POSTGRES else "was imported from a recording and never followed"
        super().__init__(f"{stream_name} {what}, so it has no topic in Kafka to compare it with.")


class TopicReplaced(ProjectionError):
    """A topic no longer continues the log that was read from it."""

    def __init__(self, stream_name: str, reason: str) -> None:
        self.stream_name = stream_name
        self.reason = reason
        super().__init__(
            f"The topic {stream_name} {reason}, so it is not the log in the archive. "
            "Run `coordstream follow` to read it as a new incarnation."
        )


class TopicChanged(ProjectionError):
    """Offsets of a topic were deleted while it was read."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"The topic {stream_name} lost events while it was read. Try again.")


class PositionBeyondEnd(ProjectionError):
    """The position of a Postgres log is beyond its end, so the relations may lack events."""

    def __init__(self, stream_name: str, position: int, end_offset: int) -> None:
        self.stream_name = stream_name
        self.position = position
        self.end_offset = end_offset
        super().__init__(
            f"The position {position} of {stream_name} is beyond the end of the log, {end_offset}. "
            "Run `coordstream rebuild --all`."
        )


class StreamBusy(ProjectionError):
    """Another process holds the lock of the stream."""

    def __init__(self, stream_name: str, holder: str) -> None:
        self.stream_name = stream_name
        self.holder = holder
        super().__init__(f"{stream_name} is being read by {holder}. Wait until that ends, or stop it.")


class ImportRefused(ProjectionError):
    """The recorded stream is a log in Postgres, which only its writers extend, and it lacks events of the recording."""

    def __init__(self, stream_name: str) -> None:
        self.stream_name = stream_name
        super().__init__(
            f"{stream_name} is a log in Postgres, and the recording has events that differ from it or that it lacks. "
            "An import does not change such a log. Append a recording of the new events only, with "
            f"`coordstream log append {stream_name} --file FILE`, or import this one into another database."
        )


class WorkerEnded(ProjectionError):
    """A worker process of an import ended without a result; ``exit_code`` as in `multiprocessing`."""

    def __init__(self, stream_name: str, exit_code: int | None) -> None:
        self.stream_name = stream_name
        self.exit_code = exit_code
        how = f"was ended by signal {-exit_code}" if exit_code and exit_code < 0 else "ended"
        super().__init__(
            f"The process that imported {stream_name} {how} before it was done; it may have run out of memory. "
            "Import again: the import continues where it stopped."
        )


class LockLost(ProjectionError):
    """The session that took the streams' locks was replaced, so the locks must be taken again."""

    def __init__(self) -> None:
        super().__init__(
            "The session that held the locks of the streams was replaced by another one. Connect directly to Postgres, "
            "not through a pooler."
        )
