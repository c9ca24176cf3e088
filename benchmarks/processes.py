"""CPU time, memory and connections of processes from Linux's /proc; None on other systems."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_TICKS_PER_SECOND: Final = 100
_PARENT, _USER_TICKS, _SYSTEM_TICKS, _ENDED_USER_TICKS, _ENDED_SYSTEM_TICKS = 1, 11, 12, 13, 14
_REMOTE_ADDRESS, _STATE, _INODE = 2, 3, 9
_ESTABLISHED: Final = "01"


def cpu_seconds(*pids: int) -> float | None:
    """CPU time of processes so far, including their threads."""
    stats = [stat for pid in pids if (stat := _told(pid, "stat")) is not None]
    if len(stats) < len(pids):
        return None
    return sum(_ticks(stat, _USER_TICKS, _SYSTEM_TICKS) for stat in stats) / _TICKS_PER_SECOND


def family_cpu_seconds(root: int) -> float:
    """CPU time so far of a process, of its descendants, and of those of them that have ended."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        children.setdefault(parent_of(int(folder.name)), []).append(int(folder.name))
    family, seconds = [root], 0.0
    for pid in family:
        seconds += (cpu_seconds(pid) or 0.0) + (ended_children_cpu_seconds(pid) or 0.0)
        family += children.get(pid, ())
    return seconds


def ended_children_cpu_seconds(pid: int) -> float | None:
    """CPU time of a process's children that have ended and that it has waited for."""
    stat = _told(pid, "stat")
    return None if stat is None else _ticks(stat, _ENDED_USER_TICKS, _ENDED_SYSTEM_TICKS) / _TICKS_PER_SECOND


def parent_of(pid: int) -> int:
    """The parent process; -1 if unknown."""
    stat = _told(pid, "stat")
    return -1 if stat is None else int(_fields(stat)[_PARENT])


def peak_bytes(pid: int | str = "self") -> int | None:
    """The peak memory of a process; getrusage would include its parent."""
    return _memory(pid, "VmHWM:")


def resident_bytes(pid: int | str = "self") -> int | None:
    """The current memory of a process."""
    return _memory(pid, "VmRSS:")


def connections_to(port: int, pid: int) -> int | None:
    """The number of TCP connections of a process to a port on any machine."""
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


def _memory(pid: int | str, field: str) -> int | None:
    lines = (_told(pid, "status") or "").splitlines()
    line = next((line for line in lines if line.startswith(field)), None)  # a process that has just ended has no memory
    return None if line is None else int(line.split()[1]) * 1024


def _told(pid: int | str, name: str) -> str | None:
    """A file of a process in /proc; None if the process ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/{name}").read_text()
    return None


def _opened(descriptors: Path) -> Iterator[str]:
    for descriptor in descriptors.iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            yield str(descriptor.readlink())


def _ticks(stat: str, *fields: int) -> int:
    values = _fields(stat)
    return sum(int(values[field]) for field in fields)


def _fields(stat: str) -> list[str]:
    return stat.rpartition(")")[2].split()
