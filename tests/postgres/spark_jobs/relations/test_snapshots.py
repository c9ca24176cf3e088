"""Exported snapshots: no timeouts, and errors in one sentence without a secret."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from eventlog.postgres.connection import connect
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.jdbc import jdbc_properties
from spark_jobs.relations.reader import RelationReader

NO_SPARK: Final[Any] = None


def test_a_snapshot_is_kept_open_without_timeouts_and_answers_threads(database_url: str) -> None:
    slow = sql.SQL("SELECT pg_sleep(0.01)").format()
    with RelationReader(lambda: database_url).snapshot(NO_SPARK) as snapshot:
        for setting, value in (("idle_in_transaction_session_timeout", "0"), ("tcp_keepalives_idle", "15")):
            assert snapshot.connection.execute(f"SHOW {setting}".encode()).fetchall() == [(value,)]
        with ThreadPoolExecutor() as threads:
            assert [*threads.map(snapshot.ask, [slow] * 20, ["job"] * 20)] == [[("",)]] * 20


def test_a_database_that_cannot_be_read_is_reported_without_the_password(empty_database_url: str) -> None:
    for place, message in (
        (empty_database_url, "Run `coordstream db migrate`"),
        ("postgresql://me:hunter2@127.0.0.1:1/none", r"Cannot read the relations \(.*127\.0\.0\.1"),
        ("postgresql://me:%hunter2@h/d", "Invalid database URL"),
    ):
        with pytest.raises(SparkJobError, match=message) as raised:
            RelationReader(partial(str, place)).read_relation(NO_SPARK, "config")
        assert not re.search("hunter2|\n", str(raised.value))


def test_spark_reads_from_the_server_that_libpq_has_found(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {name: str(value) for name, value in conninfo_to_dict(database_url).items()}
    (tmp_path / "services").write_text("\n".join(["[prod]", *(f"{name}={value}" for name, value in given.items())]))
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    down = f"host=127.0.0.1,{given['host']} port=1,{given['port']}"
    found = []
    for place in (database_url, "service=prod", f"service=prod {down}"):
        with connect(place) as connection:
            found.append(jdbc_properties(connection))
    assert found[0] == found[1] == found[2]
    assert f"//{given['host']}:{given['port']}/{given['dbname']}?" in found[0]["url"]
    assert found[0]["password"] == given["password"]
