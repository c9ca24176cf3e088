"""The relations are the same in a database whose locale sorts and lowers texts in another way.

In Czech, `ch` sorts after `h`, so that `checkpoint` comes after `coordinator`; in Turkish, `I` is the capital of `ı`.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from coordstream.postgres import EmbeddedPostgres
from coordstream.postgres.programs import ServerAccount, reachable_bin_folder
from eventlog.events import NewEvent
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection, connect
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from tests.builders import FIRST_TIME, checkpoint_v1, checkpoint_v2, config_set, task_partition
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.acceptance.odd_jobs import import_odd_jobs, import_recording_a
from tests.fixtures.postgres import migrate
from tests.fixtures.postgres_server import chosen_bin_folder, running_server, temporary_home
from tests.fixtures.projections.rebuilt import relations

pytestmark = pytest.mark.slow

LOCALES: Final = ("cs_CZ", "tr_TR")
NAMES: Final = ("B", "a", "ch", "d", "h")
"""In the order of their bytes, which is that of no language."""
AFTER: Final = FIRST_TIME + 1000
FINGERPRINTS: Final = """
select j.job_name, f.* from unnest(array['wordcount_pv', 'names', 'names-of-v1']) j(job_name)
cross join lateral coordinator.fingerprint(j.job_name, '1') f order by j.job_name collate "C", f.relation collate "C"
"""
WRAPPER: Final = '#!/bin/sh\nLOCPATH={locales} exec {program} "$@"\n'


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedPostgres]:
    """A server that knows the locales, which are compiled into a folder beside it."""
    with temporary_home() as folder, running_server(bin_folder=_programs_with_locales(folder)) as server:
        yield server


def _programs_with_locales(folder: Path) -> Path:
    wrappers = folder / "bin"
    wrappers.mkdir()
    for name in LOCALES:
        command = ["localedef", "-i", name, "-f", "UTF-8", folder / f"{name}.utf8"]
        if shutil.which("localedef") is None or subprocess.run(command, check=False, capture_output=True).returncode:
            pytest.skip(f"localedef cannot compile the locale {name}")
    programs = reachable_bin_folder(chosen_bin_folder(), ServerAccount.of_this_process(), folder / "programs")
    for program in programs.iterdir():
        wrapper = wrappers / program.name
        wrapper.write_text(WRAPPER.format(locales=folder, program=program))
        wrapper.chmod(0o755)
    return wrappers


@pytest.fixture(scope="module")
def of_bytes(server: EmbeddedPostgres) -> Iterator[Connection]:
    """A database that compares bytes."""
    with _database(server, "C", "C") as connection:
        yield connection


@pytest.fixture(scope="module")
def of_languages(server: EmbeddedPostgres) -> Iterator[Connection]:
    """A database that sorts as Czech and lowers as Turkish does."""
    with _database(server, *(f"{name}.utf8" for name in LOCALES)) as connection:
        assert connection.execute("select 'checkpoint' > 'coordinator', lower('I')").fetchone() == (True, "ı")
        yield connection


def _database(server: EmbeddedPostgres, collation: str, characters: str) -> Connection:
    name = f"of_{collation[:2].lower()}"
    with connect(server.connect_url("postgres")) as admin:
        admin.autocommit = True
        admin.execute(
            f"create database {name} template template0 encoding 'UTF8' locale_provider libc"
            f" lc_collate '{collation}' lc_ctype '{characters}'".encode()
        )
    migrate(server.connect_url(name))
    connection = connect(server.connect_url(name))
    import_recording_a(connection)
    import_odd_jobs(connection)
    _import_job_of_names(connection)
    return connection


def _import_job_of_names(connection: Connection) -> None:
    """A job in which a relation picks one of several names, and whose default offset is in capital letters."""
    config = [
        config_set("systems.kafka.default.stream.samza.offset.default", "UPCOMING"),
        *(config_set(f"stores.{name}.changelog", "kafka.shared") for name in NAMES),
        task_partition("kafka.new.0", "t"),
    ]
    versions = [config_set("task.checkpoint.read.versions", version, at=AFTER) for version in ("1", "2")]
    checkpoints = [_with_state("20"), _with_state("10"), _with_changelog()]
    ImportedJob(connection, "names", coordinator=[*config, *versions], checkpoints=checkpoints)
    ImportedJob(connection, "names-of-v1", coordinator=config, checkpoints=checkpoints)


def _with_state(offset: str) -> NewEvent:
    marker = KafkaStateCheckpointMarker(SystemStreamPartition("kafka", "shared", 0), offset).serialise()
    markers = {KAFKA_STATE_BACKEND_FACTORY: dict.fromkeys(NAMES, marker)}
    return checkpoint_v2("t", {f"kafka.{name}.0": "1" for name in NAMES}, markers=markers, at=AFTER - 10)


def _with_changelog() -> NewEvent:
    offsets = {f"kafka.{name}.0": "30" for name in NAMES} | {"kafka.shared.0": f"{FIRST_TIME}-1:5"}
    return checkpoint_v1("t", offsets, at=AFTER - 10)


def test_every_relation_has_the_same_rows(of_bytes: Connection, of_languages: Connection) -> None:
    assert relations(of_languages) == relations(of_bytes)
    fingerprints = of_languages.execute(FINGERPRINTS).fetchall()
    assert len({job for job, *_ in fingerprints}) == 3
    assert fingerprints == of_bytes.execute(FINGERPRINTS).fetchall()


def test_the_first_of_several_names_is_that_of_the_lowest_bytes(of_languages: Connection) -> None:
    details = "select detail from coordinator.anomaly where job_name = 'names' order by anomaly"
    rollback, state = of_languages.execute(details).fetchall()
    assert "in kafka.B.0 instead of" in rollback[0]
    assert "store B," in state[0]
    stores = "select store_name from coordinator.state_checkpoint where job_name = 'names-of-v1'"
    assert of_languages.execute(stores).fetchall() == [("B",)]
