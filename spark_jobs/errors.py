"""The errors of Spark jobs."""

from eventlog.errors import EventLogError


class SparkJobError(EventLogError):
    """A job failed. The message is written for users and contains no secret."""


class JavaMissingError(SparkJobError):
    """Java is missing, or too old for Spark."""


class JarUnavailableError(SparkJobError):
    """A jar is missing and cannot be fetched, or its checksum is wrong."""


class UnsafeReadError(SparkJobError):
    """A JDBC read would be inconsistent (no snapshot and no bound) or fill the heap (no fetch size)."""
