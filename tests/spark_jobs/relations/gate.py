"""A gate in the middle of a read in four partitions, at which a writer changes the first and the last one."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import psycopg

from tests.fixtures.waiting import wait_until

GATE: Final = 20_260_301
CREATE_GATE: Final = f"""
CREATE FUNCTION pass_gate() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared({GATE}); RETURN 0; END $$;
"""
_WAITS_AT_GATE: Final = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"


def read_while_a_writer_commits(url: str, read: Callable[[], int], write: str) -> int:
    """What `read` returns if `write` is committed while it waits in `pass_gate`.

    With one core, the partitions before the gate have then been read, and those after it have not.
    """

    def write_during_the_read(gatekeeper: psycopg.Connection[Any]) -> None:
        try:
            wait_until(lambda: gatekeeper.execute(_WAITS_AT_GATE, [GATE]).fetchall()[0][0], what="a reader at the gate")
            gatekeeper.execute(write.encode())
        finally:
            gatekeeper.execute("SELECT pg_advisory_unlock(%s)", [GATE])

    with psycopg.connect(url, autocommit=True) as gatekeeper, ThreadPoolExecutor(1) as pool:
        gatekeeper.execute("SELECT pg_advisory_lock(%s)", [GATE])
        writer = pool.submit(write_during_the_read, gatekeeper)
        result = read()
        writer.result()
    return result
