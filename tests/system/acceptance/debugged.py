"""The command line with every logger of Python at DEBUG; all that it prints and logs is kept."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final

from coordstream.cli import main

#: Libraries that may have set a level of their own, under which the root's has no effect.
OWN_LEVELS: Final = ("alembic", "kafka", "psycopg", "py4j", "sqlalchemy")


class Debugged:
    """Runs commands in this process and keeps what each of them said, by its words."""

    def __init__(self, log: io.StringIO) -> None:
        self._log = log
        self.said: dict[str, str] = {}

    def __call__(self, *words: str | Path, code: int = 0) -> str:
        """Run a command, which must end with this code; what it printed and logged."""
        given = [str(word) for word in words]
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)  # an export writes bytes
        begins = self._log.tell()
        with redirect_stdout(out), redirect_stderr(out):
            ended = main(given)
        printed = out.buffer.getvalue().decode()
        text = printed + self._log.getvalue()[begins:]
        self.said[f"{len(self.said)}: coordstream {' '.join(given)}"] = text
        assert ended == code, f"{given} ended with {ended}"
        return printed


@contextmanager
def debugged() -> Iterator[Debugged]:
    """A command line whose log is read at its most talkative."""
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    loggers = [logging.getLogger(), *map(logging.getLogger, OWN_LEVELS)]
    before = [logger.level for logger in loggers]
    loggers[0].addHandler(handler)
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    try:
        yield Debugged(log)
    finally:
        loggers[0].removeHandler(handler)
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
