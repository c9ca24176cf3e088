"""What a process costs, by the system's own account."""

import os
import socket
import subprocess
import sys
import time

import pytest

from benchmarks.processes import connected_inodes, connections_to, cpu_seconds, peak_bytes, resident_bytes
from tests.fixtures.waiting import wait_until

linux = pytest.mark.skipif(sys.platform != "linux", reason="the figures are those of Linux's /proc")
ROW = "0: 0100007F:1F90 0100007F:2384 {state} 00000000:00000000 00:00000000 00000000 0 0 {inode} 1"


@linux
def test_cpu_time_grows_with_work() -> None:
    before = cpu_seconds(os.getpid())
    assert before is not None
    wait_until(lambda: sum(range(10_000)) and (cpu_seconds(os.getpid()) or 0) > before)
    assert abs((cpu_seconds(os.getpid()) or 0) - time.process_time()) < 1


@linux
def test_a_process_that_has_just_ended_has_no_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:  # not waited for yet
        wait_until(lambda: peak_bytes(ended.pid) is None, what="its end")
        assert resident_bytes(ended.pid) is None
    assert cpu_seconds(ended.pid) is None


@linux
def test_memory_is_at_least_what_is_held() -> None:
    held = bytearray(os.urandom(1 << 20) * 32)
    assert (peak_bytes() or 0) >= (resident_bytes() or 0) > len(held)


@linux
def test_connections_to_a_port_are_counted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert connections_to(port, os.getpid()) == 0
        with socket.create_connection(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port)):
            assert connections_to(port, os.getpid()) == 2


def test_a_process_that_is_not_there_is_unknown() -> None:
    assert (cpu_seconds(-1), peak_bytes(-1), connections_to(1, -1)) == (None, None, None)


def test_only_established_connections_to_the_port_count() -> None:
    rows = [ROW.format(state="01", inode=7), ROW.format(state="0A", inode=8), ROW.format(state="01", inode=9)]
    assert connected_inodes(rows, 0x2384) == ["7", "9"]
    assert connected_inodes(rows, 0x1F90) == []
