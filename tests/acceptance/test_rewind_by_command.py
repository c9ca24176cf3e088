"""A new operator rewinds one stream of recording A's job by two hours, sees what will happen, and takes it back."""

import re
import shlex
from typing import Any

import pytest

from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewound_job import END, NOW, TWO_HOURS_AGO_MS, end, requests, set_clock, unreachable_inputs

PARTITIONS = [(f"Partition {number % 8}", number) for number in range(16)]
SINCE = "at the first event since 2026-11-21 08:18:13 UTC"


@pytest.fixture
def operator(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The job an hour after it was stopped, and a follower that has taken its logs in."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    follow(appendable)
    return appendable


def follow(operator: CommandLine) -> None:
    """What a follower does that runs beside."""
    assert operator("follow", "--all", "--once").code == 0


def starts(operator: CommandLine) -> list[Any]:
    """Where each task would start, as the relations have it at the recording's time."""
    at = f"timestamptz '{NOW:%Y-%m-%d %H:%M:%S}+00'"
    return operator.ask(
        "select task_name, partition_id, decided_by, startpoint_type, startpoint_value, starting_offset"
        f" from coordinator.starting_offset_as_of('wordcount_pv', '1', {at}) order by partition_id"
    )


def test_a_stream_is_rewound_and_reverted_in_three_commands(operator: CommandLine) -> None:
    before, asked_before = starts(operator), requests(operator)
    assert len(before) == 16

    rewound = operator(*shlex.split("startpoint write wordcount_pv kafka.page-views 2 hours ago --yes"))
    assert rewound.code == 0
    told = " ".join(rewound.out.split())
    assert f"if requested to start {SINCE}" in told
    assert all(f"{task} kafka.page-views.{number} at " in told for task, number in PARTITIONS)
    assert "not checked with the input" in rewound.err
    assert "does not rewind the state store counts" in rewound.err
    follow(operator)

    explained = operator.done("explain", "wordcount_pv", "Partition 1", "--as-of", f"{NOW:%Y-%m-%dT%H:%M:%SZ}")
    for number in (1, 9):
        assert f"kafka.page-views.{number} starts {SINCE}. The startpoint decides" in " ".join(explained.split())
    assert [row[:5] for row in starts(operator)] == [
        (task, number, "startpoint", "timestamp", str(TWO_HOURS_AGO_MS)) for task, number in PARTITIONS
    ]

    taken_back, requested_again = re.findall(r"^  coordstream (startpoint .*)$", rewound.out, re.MULTILINE)
    assert operator(*shlex.split(taken_back), "--yes").code == 0
    assert requests(operator) == {key: each for key, each in asked_before.items() if key != "kafka.page-views.9"}
    # the recording's own request for partition 9 was replaced: what was printed beside brings that back, too
    assert operator(*shlex.split(requested_again), "--yes").code == 0
    follow(operator)
    assert starts(operator) == before
    assert end(operator) == END + 16 + 16 + 1
