"""What a Spark job says when it refuses."""

from eventlog.errors import EventLogError


class SparkJobError(EventLogError):
    """A job cannot go on; its text is one sentence for the user and holds no secret."""


class JavaMissingError(SparkJobError):
    """No Java was found, or one that is too old for Spark."""


class JarUnavailableError(SparkJobError):
    """A jar is neither in the cache nor to be had, or is not the one that was checked in."""


class UnsafeReadError(SparkJobError):
    """A JDBC read was asked for that could tear (no snapshot, no bound) or fill the heap (no fetch size)."""
