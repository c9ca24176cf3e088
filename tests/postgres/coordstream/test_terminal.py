"""Output on terminals of several widths and in pipes."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from typing import Final

import pytest

from tests.fixtures.coordstream.command_line import CHECKPOINT, COORDINATOR, CommandLine, without_settings

pytestmark = pytest.mark.slow

READ: Final = 65_536
STYLE: Final = re.compile(r"\x1b\[[0-9;]*m")


def on_a_terminal(cli: CommandLine, columns: int, *words: str, **environment: str) -> list[str]:
    """The lines that a command prints on a terminal with this many columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {name: value for name, value in without_settings().items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [sys.executable, "-m", "coordstream", *words],
        stdin=subprocess.DEVNULL,
        stdout=its,
        stderr=subprocess.DEVNULL,
        env={**kept, "COORDSTREAM_DATABASE_URL": cli.database_url, "TERM": "xterm", **environment},
    ) as child:
        os.close(its)
        printed = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert child.returncode == 0
    return STYLE.sub("", printed.decode()).splitlines()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, READ)
    except OSError:  # the other side is closed
        return b""


def test_a_terminal_of_80_columns_has_names_whole(wordcount: CommandLine) -> None:
    lines = on_a_terminal(wordcount, 80, "status")
    assert max(map(len, lines)) <= 80
    assert [line.split()[:2] for line in lines[3:5]] == [[COORDINATOR, "stopped"], [CHECKPOINT, "stopped"]]
    assert lines[-1].startswith("(not shown in 80 columns: ")
