"""What broke readers of Samza's two topics by its form, times or content, a test a trap, named by its id."""

from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, recorded, set_checkpoint
from tests.fixtures.acceptance.imported_job import SETTINGS, ImportedJob
from tests.fixtures.numbers import NUMBERS

MINUTE: Final = 60_000


def test_t01_the_checkpoint_topic_goes_before_set_checkpoint(database: Connection) -> None:
    legacy = [set_checkpoint("t", {"kafka.in.0": "1"}), set_checkpoint("other", {"kafka.in.0": "2"})]
    job = ImportedJob(database, "t01", coordinator=legacy)
    assert job.checkpoint() == {("t", "kafka.in.0"): "1", ("other", "kafka.in.0"): "2"}
    job.import_recorded(job.checkpoint_stream, recorded([checkpoint_v1("t", {"kafka.in.0": "9"})]))
    assert job.checkpoint() == {("t", "kafka.in.0"): "9"}
    assert job.rows("checkpoint_history", "stream_kind, log_offset, origin, is_preferred") == [
        ("checkpoint", 0, "checkpoint-topic", True),
        ("coordinator", 0, "coordinator-stream", False),
        ("coordinator", 1, "coordinator-stream", False),
    ]
    only = ImportedJob(database, "t01-only", checkpoints=[checkpoint_v1("t", {"kafka.in.0": "5"})])
    assert only.rows("job", "coordinator_stream, checkpoint_stream, task_count") == [(None, only.checkpoint_stream, 1)]


def test_t44_odd_times_order_nothing(database: Connection) -> None:
    nanoseconds, seconds, future = FIRST_TIME * 1_000_000, FIRST_TIME // 1000, 4_000_000_000_000
    events = [
        config_set("a", "1", at=FIRST_TIME),
        config_set("a", "2", at=nanoseconds),
        config_set("a", "3", at=future),
        config_set("a", "4", at=seconds),
        config_set("b", "5", at=FIRST_TIME + MINUTE),
    ]
    job = ImportedJob(database, "t44", coordinator=events)
    assert job.config() == {"a": "4", "b": "5"}  # by offset
    as_of: dict[int, dict[str, str]] = {
        at: dict(job.rows_as_of("config", "config_key, config_value", at)) for at in (FIRST_TIME, FIRST_TIME + MINUTE)
    }
    assert as_of == {FIRST_TIME: {"a": "4"}, FIRST_TIME + MINUTE: {"a": "4", "b": "5"}}
    assert [row[0] for row in job.rows("config_history", "record_time is null")] == [False] * 4 + [True]


def _holds_no_secret(text: str) -> bool:
    """Hypothesis also tries constants of the code under test, and the names of secrets are among them."""
    config = {f"0 {text}": text}
    return bool(SETTINGS.secrets.mask_json(config) == config)


ANY_HELD_TEXT: Final = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
AWKWARD: Final = st.sampled_from(["\\u0000", "\\\\u0000", "\\ud83d", "\U0001f680", "\\", '"', "\x1f", "\x1e", "\u2028"])
TEXT_WITHOUT_SECRETS: Final = st.one_of(ANY_HELD_TEXT, AWKWARD, st.tuples(AWKWARD, ANY_HELD_TEXT).map("".join)).filter(
    _holds_no_secret
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TEXT_WITHOUT_SECRETS, max_size=8))
def test_t55_every_storable_text_is_returned_unchanged(database: Connection, texts: list[str]) -> None:
    coordinator = [_as_config(text, n) for n, text in enumerate(texts)]
    offsets = {f"kafka.in.{n}": text for n, text in enumerate(texts)}
    job = ImportedJob(
        database, f"t55-{next(NUMBERS)}", coordinator=coordinator, checkpoints=[checkpoint_v1("t", offsets)]
    )
    assert job.config() == {f"{n} {text}": text for n, text in enumerate(texts)}
    assert job.checkpoint() == {("t", partition): offset for partition, offset in offsets.items()}
    assert job.quarantine() == []


def _as_config(text: str, n: int) -> NewEvent:
    """Written with every escape that JSON knows, half the time."""
    event = config_set(f"{n} {text}", text)
    if n % 2:
        return event
    escaped = "".join(f"\\u{unit:04x}" for unit in _utf16(text))
    return event._replace(value=b'{"values":{"value":"' + escaped.encode() + b'"}}')


def _utf16(text: str) -> list[int]:
    data = text.encode("utf-16-be")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
