import re
from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from coordstream.cli.startpoint import one_list
from coordstream.queries.rows import Rows
from coordstream.queries.startpoints import type_and_value
from tests.coordstream.command_line import CommandLine

BEFORE_RUN_2 = "2026-11-21T09:17:00Z"


def test_requests_and_fan_outs_are_one_list(wordcount: CommandLine) -> None:
    requested = wordcount.rows("startpoint", "show", "wordcount_pv", "--as-of", BEFORE_RUN_2)
    assert [row["status"] for row in requested] == ["requested"] * 13
    assert requested == wordcount.rows("startpoint", "show", "wordcount_pv", "--as-of-offset", "112")
    fanned_out = wordcount.rows("startpoint", "show", "wordcount_pv", "--as-of-offset", "194")
    fan_outs = [row for row in fanned_out if row["status"] == "fanned_out"]
    assert (len(fan_outs), len({row["task_name"] for row in fan_outs})) == (15, 8)
    assert {tuple(row) for row in fanned_out} == {tuple(fanned_out[0])}
    assert {"expires_at", "fanned_out_at", "startpoint_type", "log_offset"} <= set(fanned_out[0])


def test_requests_left_at_the_end(wordcount: CommandLine) -> None:
    rows = wordcount.rows("startpoint", "show", "wordcount_pv")
    assert [(row["status"], row["log_offset"]) for row in rows] == [("requested", n) for n in (108, 109, 425, 426)]


@pytest.mark.usefixtures("narrow")
def test_both_tables_fit_the_page(wordcount: CommandLine) -> None:
    printed = wordcount.done("startpoint", "show", "wordcount_pv", "--as-of-offset", "194")
    assert "Startpoints requested for wordcount_pv/1 as of offset 194" in printed
    assert "Startpoints fanned out to tasks of wordcount_pv/1 as of offset 194" in printed
    assert "timestamp 1700000007500" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_columns_that_a_relation_lacks_are_null() -> None:
    rows = one_list(Rows("a", [{"a": 1}]), Rows("b", [{"b": 2}]))
    assert rows == [{"status": "requested", "a": 1, "b": None}, {"status": "fanned_out", "a": None, "b": 2}]
    assert one_list(Rows("a"), Rows("b")).columns == ["status", "a", "b"]


def test_type_and_value() -> None:
    assert type_and_value({"startpoint_type": "oldest", "startpoint_value": None}) == "oldest"
    assert type_and_value({"startpoint_type": "specific", "startpoint_value": "20"}) == "specific 20"


def offsets(rows: list[dict[str, Any]], status: str) -> list[int]:
    return sorted({row["log_offset"] for row in rows if row["status"] == status})


def test_the_history_has_every_step(wordcount: CommandLine) -> None:
    steps = wordcount.rows("startpoint", "show", "wordcount_pv", "--history", "--as-of", "2026-11-21T09:20:00Z")
    assert Counter(row["status"] for row in steps)["requested"] == 17
    assert Counter(row["status"] for row in steps)["fanned_out"] == 15
    assert offsets(steps, "deleted") == [112]
    assert [row["log_offset"] for row in steps] == sorted(row["log_offset"] for row in steps)
    before = wordcount.rows("startpoint", "show", "wordcount_pv", "--history", "--as-of", BEFORE_RUN_2)
    assert before == [row for row in steps if row["log_offset"] <= 112]


@pytest.mark.usefixtures("narrow")
def test_the_history_fits_the_page(wordcount: CommandLine) -> None:
    printed = wordcount.done("startpoint", "show", "wordcount_pv", "--history", "--as-of", "2026-11-21T09:20:00Z")
    assert "Startpoints of wordcount_pv/1 as of 2026-11-21 09:20:00 UTC, by step" in printed
    assert re.search(r"^2026-11-21 09:16:59\.\d{3} +requested +kafka.page-", printed, re.MULTILINE)
    assert "fanned out" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_a_history_needs_a_time(wordcount: CommandLine) -> None:
    sentence = wordcount.refused("startpoint", "show", "wordcount_pv", "--history", "--as-of-offset", "1", code=2)
    assert "'--history' and '--as-of-offset' cannot be used together" in sentence


def test_steps_are_selected_by_time_and_from_the_newest(wordcount: CommandLine) -> None:
    words = ("startpoint", "show", "wordcount_pv", "--history", "--as-of", "2026-11-21T09:20:00Z")
    steps = wordcount.rows(*words)
    assert wordcount.rows(*words, "--limit", "3") == steps[-3:]
    since, until = "2026-11-21T09:16:59.891Z", "2026-11-21T09:18:00Z"
    first, last = datetime.fromisoformat(since), datetime.fromisoformat(until)
    chosen = [row for row in steps if first <= datetime.fromisoformat(row["record_time"]) <= last]
    assert 0 < len(chosen) < len(steps)
    assert wordcount.rows(*words, "--since", since, "--until", until) == chosen
    sentence = wordcount.refused("startpoint", "show", "wordcount_pv", "--limit", "3", code=2)
    assert "'--since', '--until' and '--limit' need --history." in sentence


def test_a_step_without_an_event_is_sorted_by_its_time(wordcount: CommandLine) -> None:
    steps = wordcount.rows("startpoint", "show", "wordcount_pv", "--history", "--as-of", "2026-11-23")
    expired = [row for row in steps if row["status"] == "expired"]
    assert expired == steps[-len(expired) :]
    assert {row["log_offset"] for row in expired} == {None}
