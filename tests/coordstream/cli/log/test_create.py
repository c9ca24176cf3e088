from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from tests.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics

STREAM = "__samza_coordinator_counts_1"


def test_without_brokers_a_stream_is_a_log_in_postgres(cli: CommandLine) -> None:
    assert cli.done("log", "create", STREAM) == f"{STREAM} created in Postgres\n"
    assert cli.ask("select backend, stream_name, stream_kind, incarnation from eventlog.log") == [
        ("postgres", STREAM, "coordinator", 1)
    ]


def test_a_name_without_a_known_prefix_needs_a_kind(cli: CommandLine) -> None:
    assert "'coordinator' or 'checkpoint'" in cli.refused("log", "create", "mine")
    cli.done("log", "create", "mine", "--kind", "checkpoint")
    assert cli.ask("select stream_kind from eventlog.log") == [("checkpoint",)]


def test_a_stream_is_created_once(cli: CommandLine) -> None:
    cli.done("log", "create", STREAM)
    refused = cli.refused("log", "create", STREAM)
    assert refused == "The database already has a stream __samza_coordinator_counts_1. Use it, or check the name."


def test_replicas_need_brokers(cli: CommandLine) -> None:
    refused = cli.refused("log", "create", STREAM, "--replication-factor", "3", code=2)
    assert "--replication-factor needs Kafka brokers" in refused
    assert cli.is_empty()


def test_with_brokers_a_stream_is_a_topic_with_samzas_settings(
    kafka_cli: CommandLine, kafka_options: KafkaOptions, topics: Topics, job_name: str
) -> None:
    stream = f"__samza_checkpoint_ver_1_for_{job_name}_1"
    servers = kafka_options.bootstrap_servers
    assert kafka_cli.done("log", "create", stream) == f"{stream} created on Kafka at {servers}\n"
    with KafkaAdmin(kafka_options) as admin:
        topic = admin.topic(stream)
    assert (topic.partitions, topic.cleanup_policy, topic.max_message_bytes) == (1, frozenset({"compact"}), 1_000_012)
    assert kafka_cli.is_empty()
    assert f"already has a topic {stream}. Use it" in kafka_cli.refused("log", "create", stream)
    topics.delete(stream)


def test_more_replicas_than_brokers_are_refused(kafka_cli: CommandLine, job_name: str) -> None:
    refused = kafka_cli.refused("log", "create", f"__samza_coordinator_{job_name}_1", "--replication-factor", "99")
    assert "with replication factor 99 (InvalidReplicationFactorError)" in refused
