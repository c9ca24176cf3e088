"""A followed topic of which a retention has detached an event."""

from typing import Final

from tests.acceptance.followed import config
from tests.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics

FIRST_MS: Final = 1_700_000_000_000
A_DAY_MS: Final = 86_400_000


def follow_and_retain(cli: CommandLine, topics: Topics, stream_name: str) -> None:
    """Follow a topic with six events, and detach the one at offset 1; the horizon is at offset 3."""
    values = [{"a": "1"}, {"a": "2"}, {"b": "1"}, {"a": "3"}, {"a": "4", "c": "1"}]
    for day, keys in enumerate(values):
        at = FIRST_MS + day * A_DAY_MS
        topics.write(stream_name, [event._replace(timestamp=at) for event in config(**keys)])
    assert cli("follow", stream_name, "--once").code == 0
    assert cli("retention", "--keep", "12h", "--all").code == 0
