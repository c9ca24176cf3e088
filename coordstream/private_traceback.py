"""A traceback that is safe to report: the lines of code, without error messages that may quote data."""

import traceback
from collections.abc import Iterator
from typing import Final

import psycopg
from sqlalchemy.exc import DBAPIError

from coordstream.errors import CoordstreamError
from eventlog.errors import EventLogError
from eventlog.postgres.connection import server_reason
from projections.errors import ProjectionError

LEFT_OUT: Final = "(message left out: it may repeat a value)"
#: The messages of these name files, types and attributes, never values.
_SAFE: Final = (
    CoordstreamError,
    EventLogError,
    ProjectionError,
    OSError,
    ImportError,
    AttributeError,
    NameError,
    RecursionError,
)
_CAUSED: Final = "\nThe above exception was the direct cause of the following exception:\n\n"
_MEANWHILE: Final = "\nDuring handling of the above exception, another exception occurred:\n\n"


def private_traceback(error: BaseException) -> str:
    """The traceback of an error and its causes as Python prints it, without unsafe messages."""
    return "".join(_parts(error))


def _parts(error: BaseException) -> Iterator[str]:
    if error.__cause__ is not None:
        yield from _parts(error.__cause__)
        yield _CAUSED
    elif error.__context__ is not None and not error.__suppress_context__:
        yield from _parts(error.__context__)
        yield _MEANWHILE
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{type(error).__module__}.{type(error).__qualname__}: {_text(error)}\n"


def _text(error: BaseException) -> str:
    if isinstance(error, DBAPIError) and error.orig is not None:
        return _text(error.orig)
    if isinstance(error, psycopg.Error):
        return f"{server_reason(error) or LEFT_OUT} (SQLSTATE {error.sqlstate})"
    return str(error) if isinstance(error, _SAFE) else LEFT_OUT
