"""Errors of rewinds.

RewindError (a ManagerError)
 ├─ InvalidRewind   a target or a selection does not fit the job or its input
 ├─ RewindFileError a plan or an undo file cannot be read or written
 └─ RewindOutdated  what the rewind was made from has changed since
"""

from managers.errors import ManagerError


class RewindError(ManagerError):
    """A rewind could not be planned, applied or undone."""


class InvalidRewind(RewindError):
    """A target or a selection does not fit the job or its input. Nothing was written."""


class RewindFileError(RewindError):
    """A plan or an undo file cannot be read or written."""


class RewindOutdated(RewindError):
    """The job's startpoints, checkpoints or assignments are not those that the rewind was made from."""
