"""The input system in memory that tests use keeps the contract of a real one."""

from collections.abc import Sequence

import pytest

from eventlog.system_admin import BoundedSystemAdmin, SystemAdmin
from tests.contracts.system_admin import SystemAdminContract
from tests.fixtures.memory_system_admin import MemorySystemAdmin


class TestMemorySystemAdmin(SystemAdminContract):
    @pytest.fixture(autouse=True)
    def system(self) -> None:
        self._system = MemorySystemAdmin()

    def make_admin(self) -> BoundedSystemAdmin:
        return self._system

    def close_admin(self, admin: SystemAdmin) -> None:
        pass

    def make_stream(self, partitions: int = 1) -> str:
        return self._system.create(f"input-{len(self._system.streams)}", partitions)

    def write(self, stream_name: str, times: Sequence[int], partition: int = 0) -> None:
        self._system.write(stream_name, times, partition)

    def delete_before(self, stream_name: str, offset: int) -> None:
        self._system.delete_before(stream_name, offset)
