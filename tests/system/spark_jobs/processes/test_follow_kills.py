"""Followers on Spark that are killed again and again, beside a plain one, lose no event and apply none twice."""

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Final

import psycopg
import pytest

from eventlog.postgres.connection import Connection, connect
from spark_jobs.follow.micro_batches import SCRATCH
from tests.builders import config_set
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.coordstream.command_line import MASK_KEY, in_own_process, without_settings
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.torture, pytest.mark.long]

LOGS: Final = scaled(4, 20)
KILLS: Final = scaled(2, 30)
CHECKPOINTS_DELETED: Final = scaled(1, 3)
EVENTS_A_WRITE: Final = 20
ON_SPARK: Final = ("spark", "follow", "--master", "local[2]")

_POSITIONS: Final = "select coalesce(sum(next_offset), 0) from projection.position"
_ARCHIVED: Final = """
select e.log_offset, e.key, e.value from eventlog.event e join eventlog.log l using (log_id)
where l.stream_name = %s and l.incarnation = (select max(incarnation) from eventlog.log where stream_name = %s)
order by 1
"""
_STATE: Final = "select state, next_offset, heartbeat_at is not null from coordinator.log_position"
_INCARNATIONS: Final = "select count(*) from eventlog.log where stream_name = %s"
_SESSIONS: Final = "select count(*) from pg_stat_activity where application_name = 'coordstream follow'"
_HOLDERS: Final = "select count(*) from projection.locked_stream where application_name = %s"


def test_relations_equal_the_fold_and_each_event_is_there_once(
    database_url: str, topics: Topics, job_name: str, tmp_path: Path
) -> None:
    names = [topics.create(f"__samza_coordinator_{job_name}-{number}_1") for number in range(LOGS)]
    settings = settings_of(database_url, topics, tmp_path)
    with connect(database_url) as observer:
        with written_live(topics, names):
            for kill in range(KILLS):
                with program(*ON_SPARK, *names, settings=settings) as driver:
                    wait_until(lambda: is_held_by(observer, "coordstream spark follow"), what="the driver's locks")
                    wait_for_news(observer)
                    if kill < CHECKPOINTS_DELETED:
                        delete_checkpoints(tmp_path)
                        wait_for_news(observer)
                    if kill == KILLS // 2:
                        topics.create_again(names[0])
                        wait_until(lambda: number(observer, _INCARNATIONS, names[0]) == 2, what="the re-created topic")
                    if kill % 2:
                        hand_over(driver, observer, names, settings)
                    end(driver, observer)
        ended = in_own_process("spark", "follow", *names, "--once", "--master", "local[2]", **settings)
        assert ended.code == 0, ended.err
        assert number(observer, _INCARNATIONS, names[0]) == 2
        for name in names:
            archived = observer.execute(_ARCHIVED, (name, name), binary=True).fetchall()
            assert archived == [(one.offset, one.key, one.value) for one in topics.records(name)]
    verified = in_own_process("verify", "--all", **settings)
    assert verified.code == 0, verified.out + verified.err


def settings_of(database_url: str, topics: Topics, folder: Path) -> dict[str, str]:
    return {
        "COORDSTREAM_DATABASE_URL": database_url,
        "COORDSTREAM_MASK_KEY": MASK_KEY,
        "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS": topics.bootstrap_servers,
        "COORDSTREAM_HOME": str(folder),
        "TMPDIR": str(folder),
    }


@contextmanager
def written_live(topics: Topics, names: list[str]) -> Iterator[None]:
    """Write to random topics until the block ends."""
    is_over, rng = Event(), random.Random(1)

    def write() -> None:
        with Topics(topics.bootstrap_servers) as own:
            while not is_over.wait(0.02):
                name = rng.choice(names[1:])  # the first is deleted in between, and gets its events at the end
                own.write(
                    name, [config_set(f"key-{rng.randrange(50)}", str(rng.random())) for _ in range(EVENTS_A_WRITE)]
                )
            own.write(names[0], [config_set("task.class", "again")] * 3)

    topics.write(names[0], [config_set("task.class", "before")] * 5)
    writer = Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        is_over.set()
        writer.join()


def hand_over(
    driver: "subprocess.Popen[bytes]", observer: Connection, names: list[str], settings: Mapping[str, str]
) -> None:
    """Kill the driver beside a plain follower, which takes the streams over until it is stopped."""
    with program("follow", *names, settings=settings) as process:
        wait_until(lambda: number(observer, _SESSIONS) > 0, what="the plain follower")
        end(driver, observer)
        wait_until(lambda: is_held_by(observer, "coordstream follow"), what="the takeover")
        wait_for_news(observer)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def end(driver: "subprocess.Popen[bytes]", observer: Connection) -> None:
    """Kill the driver, and wait until Postgres has noticed: else its locks look like those of the next one."""
    driver.kill()
    driver.wait()
    wait_until(lambda: not is_held_by(observer, "coordstream spark follow"), what="the end of the driver's session")


@contextmanager
def program(*words: str, settings: Mapping[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A command in a process of its own, which is killed at the end."""
    command = [sys.executable, "-m", "coordstream", *words]
    environ = {**without_settings(), **settings}
    log = Path(settings["TMPDIR"]) / f"{words[0]}.log"
    with log.open("ab") as written:
        process = subprocess.Popen(
            command, cwd=CHECKOUT, env=environ, stdin=subprocess.DEVNULL, stderr=written, start_new_session=True
        )
        try:
            yield process
        except BaseException:
            print(log.read_text(errors="replace")[-4000:])
            raise
        finally:
            process.kill()
            process.wait()


def wait_for_news(observer: Connection) -> None:
    """Wait until the positions have moved."""
    before = number(observer, _POSITIONS)
    wait_until(lambda: number(observer, _POSITIONS) > before, what="the positions to move")


def delete_checkpoints(folder: Path) -> None:
    """Remove the temporary folders of followers, also of the running one."""
    found = list(folder.glob(f"{SCRATCH}*"))
    assert found
    for path in found:
        shutil.rmtree(path, ignore_errors=True)


def is_held_by(observer: Connection, application_name: str) -> bool:
    return number(observer, _HOLDERS, application_name) > 0


def number(observer: psycopg.Connection[tuple[object, ...]], query: str, *values: object) -> int:
    ((found,),) = observer.execute(query.encode(), values).fetchall()
    return int(str(found))


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_status_shows_it_and_a_signal_ends_it(
    database_url: str, topics: Topics, job_name: str, tmp_path: Path, signal_number: int
) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1")
    topics.write(name, [config_set()] * 3)
    settings = settings_of(database_url, topics, tmp_path)
    with connect(database_url) as observer, program(*ON_SPARK, name, settings=settings) as driver:
        wait_until(lambda: observer.execute(_STATE).fetchall() == [("live", 3, True)], what="the stream to be live")
        os.killpg(driver.pid, signal_number)
        assert driver.wait(PATIENCE) == 0
        assert observer.execute(_STATE).fetchall() == [("stopped", 3, True)]
    assert "ERROR" not in (tmp_path / "spark.log").read_text()
