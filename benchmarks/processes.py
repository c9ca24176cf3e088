"""What a process costs, as Linux's /proc shows it; elsewhere it is unknown (None)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_TICKS_PER_SECOND: Final = 100
_USER_TICKS, _SYSTEM_TICKS = 11, 12
_REMOTE_ADDRESS, _STATE, _INODE = 2, 3, 9
_ESTABLISHED: Final = "01"


def cpu_seconds(*pids: int) -> float | None:
    """CPU time of processes so far, their threads included."""
    stats = [Path(f"/proc/{pid}/stat") for pid in pids]
    if not all(stat.exists() for stat in stats):
        return None
    return sum(_ticks(stat.read_text()) for stat in stats) / _TICKS_PER_SECOND


def peak_bytes(pid: int | str = "self") -> int | None:
    """The most memory that a process had; getrusage's figure would count the process that started it."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def connections_to(port: int, pid: int) -> int | None:
    """How many TCP connections a process has open to a port, of whatever machine."""
    descriptors = Path(f"/proc/{pid}/fd")
    if not descriptors.exists():
        return None
    sockets = set(_opened(descriptors))
    tables = (Path(f"/proc/{pid}/net/{name}") for name in ("tcp", "tcp6"))
    rows = (row for table in tables if table.exists() for row in table.read_text().splitlines()[1:])
    return len(sockets & {f"socket:[{inode}]" for inode in connected_inodes(rows, port)})


def connected_inodes(rows: Iterable[str], port: int) -> list[str]:
    """Inodes of the sockets in rows of /proc/net/tcp that are connected to a port."""
    split = [row.split() for row in rows]
    return [
        fields[_INODE]
        for fields in split
        if fields[_STATE] == _ESTABLISHED and int(fields[_REMOTE_ADDRESS].rpartition(":")[2], 16) == port
    ]


def _opened(descriptors: Path) -> Iterator[str]:
    for descriptor in descriptors.iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            yield str(descriptor.readlink())


def _ticks(stat: str) -> int:
    fields = stat.rpartition(")")[2].split()
    return int(fields[_USER_TICKS]) + int(fields[_SYSTEM_TICKS])
