from pathlib import Path

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from projections.follow.heartbeat import write_refusal
from projections.stream_lock import StreamLocks
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, CommandLine, config_event, recording
from tests.fixtures.kafka_topics import Topics

pytestmark = pytest.mark.slow

STREAM = "__samza_coordinator_counts_1"
LIMITS = ("--max-lag", "0", "--max-age", "1")


@pytest.fixture
def lost(cli: CommandLine) -> CommandLine:
    """The command line on a database with a log whose follower is lost."""
    cli.done("log", "create", STREAM)
    cli.done("log", "append", STREAM, "--type", "set-config", "--key", "a", "--value", "1")
    assert cli("follow", STREAM, "--once").code == 0
    with cli.connection() as connection:
        connection.execute("update projection.position set state = 'live', heartbeat_at = now() - interval '1 hour'")
    return cli


def states(cli: CommandLine) -> list[str]:
    return [row["state"] for row in cli("status", "--json").json]


def test_a_retired_log_has_no_fault(lost: CommandLine) -> None:
    assert (states(lost), lost("status").code) == (["lost"], 1)
    assert lost.done("log", "retire", STREAM) == f"{STREAM} is retired.\n"
    lost.done("log", "append", STREAM, "--type", "set-config", "--key", "b", "--value", "2")
    (row,) = lost.rows("status", *LIMITS)
    assert row["state"] == "retired"
    assert row["state_detail"].startswith("retired on ")
    assert lost.ask("select state from coordinator.log_position") == [("stopped",)]
    assert [each["state"] for each in lost.rows("job", "list")] == ["retired"]


def test_a_log_that_was_never_followed_can_be_retired(cli: CommandLine) -> None:
    cli.done("log", "create", STREAM)
    assert cli("status", *LIMITS).code == 1
    cli.done("log", "retire", STREAM)
    (row,) = cli.rows("status", *LIMITS)
    assert row["state"] == "retired"
    assert row["state_detail"].startswith("retired on ")
    cli.done("log", "retire", STREAM, "--undo")
    assert states(cli) == ["stopped"]


def test_with_undo_it_is_expected_again(lost: CommandLine) -> None:
    lost.done("log", "retire", STREAM)
    assert lost.done("log", "retire", STREAM, "--undo") == f"{STREAM} is expected to be followed again.\n"
    assert states(lost) == ["lost"]
    assert lost.refused("log", "retire", STREAM, "--undo").startswith(f"{STREAM} is not retired.")


def test_following_it_ends_its_retirement(lost: CommandLine) -> None:
    lost.done("log", "retire", STREAM)
    assert lost("follow", STREAM, "--once").code == 0
    assert states(lost) == ["stopped"]


def test_an_import_of_new_events_ends_its_retirement(cli: CommandLine, tmp_path: Path) -> None:
    events = [config_event(0, "a", "1"), config_event(1, "b", "1")]
    cli.done("import", recording(tmp_path / "a.jsonl", events[:1]))
    cli.done("log", "retire", STREAM)
    cli.done("import", recording(tmp_path / "a.jsonl", events[:1]))
    assert states(cli) == ["retired"]
    cli.done("import", recording(tmp_path / "a.jsonl", events))
    assert states(cli) == ["stopped"]


def test_a_rebuild_keeps_its_retirement(lost: CommandLine) -> None:
    lost.done("log", "retire", STREAM)
    lost.done("rebuild", "--all")
    assert states(lost) == ["retired"]


def test_a_stream_that_is_followed_is_not_retired(lost: CommandLine) -> None:
    with connect(lost.database_url) as following:
        StreamLocks(following).take(STREAM)
        refused = lost.refused("log", "retire", STREAM)
    assert f"{STREAM} is being read by " in refused
    assert states(lost) == ["lost"]


def test_a_refused_stream_without_a_log_is_retired(cli: CommandLine) -> None:
    with cli.connection() as connection:
        write_refusal(connection, STREAM, None, "kafka", "it has 2 partitions")
    assert cli("status").code == 1
    cli.done("log", "retire", STREAM)
    assert (states(cli), cli("status").code) == (["retired"], 0)


def test_all_streams_or_none_are_retired(lost: CommandLine) -> None:
    refused = lost.refused("log", "retire", STREAM, "__samza_coordinator_count_1")
    assert f"""No stream '__samza_coordinator_count_1'. Did you mean "{STREAM}"?""" in refused
    assert states(lost) == ["lost"]


def test_a_job_without_a_stream_that_is_not_retired_has_no_lag(wordcount: CommandLine) -> None:
    wordcount.done("log", "retire", COORDINATOR)
    assert "16 of 16 partitions is unknown" in wordcount("lag", "--stored").err
    wordcount.done("log", "retire", CHECKPOINT)
    unexpected = wordcount("lag", "--json")
    sentence = "The streams of all jobs are retired. Name a job to include it.\n"
    assert (unexpected.code, unexpected.json, unexpected.err) == (0, [], sentence)
    assert (wordcount("lag", "--task", "Partition 0").code, wordcount("lag", "wordcount_pv", "--stored").code) == (1, 1)
    bridged = wordcount("consumer-groups", "--all", "--json")
    assert (bridged.code, bridged.json, bridged.err) == (0, [], sentence)


def test_other_jobs_are_still_expected(wordcount: CommandLine) -> None:
    wordcount.done("log", "create", STREAM)
    wordcount.done("log", "append", STREAM, "--type", "set-config", "--key", "a", "--value", "1")
    assert wordcount("follow", STREAM, "--once").code == 0
    wordcount.done("log", "retire", COORDINATOR, CHECKPOINT)
    observed = wordcount("lag", "--stored")
    assert (observed.code, observed.err) == (1, "No inputs of counts/1 are known.\n")


def test_the_streams_of_a_deleted_job(kafka_cli: CommandLine, topics: Topics, coordinator_topic: str) -> None:
    topics.write(coordinator_topic, [NewEvent(b"k", b"v")])
    assert kafka_cli("follow", coordinator_topic, "--once").code == 0
    topics.delete(coordinator_topic)
    assert f"`coordstream log retire {coordinator_topic}`" in kafka_cli("status").err
    kafka_cli.done("log", "retire", coordinator_topic)
    finished = kafka_cli("status")
    assert (finished.code, finished.err) == (0, "")
    topics.create(coordinator_topic)
    assert kafka_cli("follow", coordinator_topic, "--once").code == 0
    assert kafka_cli("status", "--json").json[-1]["state"] == "stopped"
