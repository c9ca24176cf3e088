import pytest

from coordstream.serve.readiness import ANOTHER_VERSION
from coordstream.serve.service import ServiceLimits
from tests.coordstream.command_line import COORDINATOR, CommandLine
from tests.coordstream.serve.serving import Served, serving
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

STREAM = "__samza_coordinator_orders_1"
AS_FOLLOWED = "update projection.position set state = 'live', heartbeat_at = now(), state_detail = null"


@pytest.fixture
def followed(cli: CommandLine) -> CommandLine:
    """A log in Postgres whose follower seems to be live."""
    cli.done("log", "create", STREAM)
    cli.done("log", "append", STREAM, "--type", "set-config", "--key", "job.name", "--value", "orders")
    cli.follow("--all", "--once")
    change(cli, AS_FOLLOWED)
    return cli


def change(cli: CommandLine, statement: str) -> None:
    with cli.connection() as connection:
        connection.execute(statement.encode())


def reasons(served: Served) -> list[str]:
    answer = served.client.get("/readyz")
    found: list[str] = answer.json()["reasons"]
    assert answer.status_code == (503 if found else 200)
    assert answer.json()["is_ready"] is (not found)
    assert f"coordstream_ready {0 if found else 1}.0" in served.client.get("/metrics").text
    return found


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        ("heartbeat_at = now()", ""),
        ("state = 'stopped'", "is not followed."),
        ("state = 'catching-up'", "has not been read to its end yet."),
        ("heartbeat_at = now() - interval '1 minute'", "has had no heartbeat for 6"),
        ("state_detail = 'x'", "is not followed now: x."),
        ("state = 'refused', state_detail = 'x'", "is refused: x."),
        ("next_offset = 0", "is 1 offsets behind its end."),
        ("fold_version = 'none'", "has to be rebuilt."),
    ],
)
def test_nothing_wrong_or_unknown_is_ready(followed: CommandLine, break_it: str, reason: str) -> None:
    change(followed, f"update projection.position set {break_it}")
    with serving(followed.database_url, limits=ServiceLimits(ready_lag=0)) as served:
        found = reasons(served)
    assert len(found) == bool(reason)
    assert not found or found[0].removeprefix(STREAM).strip().startswith(reason)


def test_a_log_that_was_never_followed_is_not_ready(followed: CommandLine) -> None:
    followed.done("log", "create", "__samza_coordinator_other_1")
    with serving(followed.database_url) as served:
        (reason, *_) = reasons(served)
    assert reason == "__samza_coordinator_other_1 is not followed. Start its follower."


def test_a_topic_whose_end_is_unknown_is_not_ready(wordcount: CommandLine) -> None:
    change(wordcount, AS_FOLLOWED + ", end_offset = null")
    change(wordcount, "update eventlog.log set backend = 'kafka'")
    with serving(wordcount.database_url) as served:
        assert f"{COORDINATOR} has an unknown lag." in " ".join(reasons(served))
        assert 'coordstream_log_lag_offsets{job_id="1",' in served.client.get("/metrics").text
        assert served.client.get("/metrics").text.count("} NaN") == 2


def test_an_imported_recording_is_ready_and_no_logs_are_not(wordcount: CommandLine) -> None:
    with serving(wordcount.database_url) as served:
        assert reasons(served) == []
    change(wordcount, "delete from projection.job_log; delete from projection.position")
    with serving(wordcount.database_url) as served:
        assert reasons(served) == ["No logs. Import or follow a stream."]


def test_a_schema_of_another_version_is_not_ready(followed: CommandLine) -> None:
    with serving(followed.database_url) as served:
        assert reasons(served) == []
        change(followed, "comment on schema coordinator is 'Relations 0'")
        wait_until(lambda: served.client.get("/readyz").status_code == 503, what="the answer to be renewed")
        assert served.client.get("/readyz").json()["reasons"] == [ANOTHER_VERSION]
    with serving(followed.database_url) as served:
        answer = served.client.get("/readyz")
    assert (answer.status_code, "coordstream migrate" in answer.json()["error"]) == (503, True)


def test_without_its_database_nothing_is_ready_until_it_answers(cli: CommandLine) -> None:
    with serving("postgresql://u@127.0.0.1:1/d") as served:
        for path in ("/readyz", "/metrics"):
            answer = served.client.get(path)
            assert answer.status_code == 503
            assert answer.json()["error"].startswith("Cannot reach the database of COORDSTREAM_DATABASE_URL (")
            assert "retry-after" in answer.headers
