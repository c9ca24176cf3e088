"""What docs/library.md shows is run as it stands there, and again over the other kinds of logs."""

import doctest
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import pytest

from coordstream import KafkaCheckpointManager, KafkaEventLog, MemoryEventLog, checkpoint_stream
from coordstream import create_coordinator_stream as make_stream
from tests.checkout import CHECKOUT
from tests.fixtures.new_user import NewUser

pytestmark = pytest.mark.slow

if TYPE_CHECKING:  # a run without a broker does not wait for it
    from coordstream import KafkaOptions
    from tests.fixtures.kafka_topics import Topics

PAGE: Final = CHECKOUT / "docs" / "library.md"
TEXT: Final = PAGE.read_text(encoding="utf-8")
OF_POSTGRES: Final = "## In SQL"
STARTS_POSTGRES: Final = ">>> url = "
MAKES_A_LOG: Final = "PostgresEventLog.create(url, "


def run_well(text: str, names: Mapping[str, object]) -> None:
    """Run a page's examples with some names known beforehand; they must give what they show."""
    report: list[str] = []
    examples = doctest.DocTestParser().get_doctest(text, dict(names), PAGE.name, str(PAGE), 0)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=report.append)
    assert results.failed == 0, "".join(report)
    assert results.attempted > 40


def over_other_logs(maker: str) -> str:
    """The page as it is for who has no Postgres: ``maker`` makes a log of a stream."""
    assert TEXT.count(MAKES_A_LOG) == 3  # of the coordinator stream, of the checkpoint topic, and in the table
    lines = TEXT[: TEXT.index(OF_POSTGRES)].replace(MAKES_A_LOG, f"{maker}(").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(STARTS_POSTGRES))


def test_the_examples_give_what_they_show(user: NewUser) -> None:
    assert user.run_examples(PAGE.name, TEXT) > 40


def test_the_examples_give_the_same_in_memory() -> None:
    run_well(over_other_logs("MemoryEventLog"), {"MemoryEventLog": MemoryEventLog})


def test_the_examples_give_the_same_over_topics(topics: "Topics", kafka_options: "KafkaOptions", job_name: str) -> None:
    from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415 (a run without a broker does not wait for it)

    config = {"job.name": job_name}
    with KafkaAdmin(kafka_options) as admin:
        coordinator = make_stream(admin, config)
    checkpoint = checkpoint_stream(config)
    for stream in (coordinator, checkpoint):
        topics.will_be_made(stream.stream_name)
    KafkaCheckpointManager(
        lambda: KafkaEventLog(kafka_options, checkpoint), config=config, open_admin=lambda: KafkaAdmin(kafka_options)
    ).create_resources()
    page = over_other_logs("KafkaEventLog").replace("KafkaEventLog(c", "KafkaEventLog(options, c")
    run_well(page.replace("orders", job_name), {"KafkaEventLog": KafkaEventLog, "options": kafka_options})
