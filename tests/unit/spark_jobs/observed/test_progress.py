import json
from typing import Any

import pytest

from eventlog.partition import SystemStreamPartition
from spark_jobs.observed.progress import CommittedBatch, SourceRange, parse_progress, processed

TOPICS = "KafkaV2[Subscribe[clicks,views]]"


def progress(*sources: dict[str, str], batch: int = 3, run: str = "r") -> dict[str, Any]:
    return {
        "id": "q", "runId": run, "batchId": batch, "sink": {"description": "FileSink[/sink]"}, "sources": list(sources),
    }  # fmt: skip


def source(description: str, start: object, end: object) -> dict[str, str]:
    """A source of a progress; PySpark makes a text of Java's null."""
    texts = ["None" if offset is None else json.dumps(offset) for offset in (start, end)]
    return {"description": description, "startOffset": texts[0], "endOffset": texts[1]}


def test_the_offsets_of_the_kafka_connector() -> None:
    parsed = parse_progress(progress(source(TOPICS, None, {"clicks": {"0": 5, "1": 0}, "views": {"0": 2}})))
    end = {
        SystemStreamPartition("kafka", "clicks", 0): 5,
        SystemStreamPartition("kafka", "clicks", 1): 0,
        SystemStreamPartition("kafka", "views", 0): 2,
    }
    assert parsed == CommittedBatch("q", "r", 3, "FileSink[/sink]", (SourceRange(0, None, end),))
    assert list(processed(end).values()) == ["4", "-1", "1"]


def test_the_offsets_of_our_data_source() -> None:
    places = [{"__samza_coordinator_a_1": ["incarnation 1", position, 0]} for position in (3, 5)]
    parsed = parse_progress(progress(source("org.apache.spark.python", *places)))
    partition = SystemStreamPartition("coordstream", "__samza_coordinator_a_1", 0)
    assert parsed.sources == (SourceRange(0, {partition: 3}, {partition: 5}),)


@pytest.mark.parametrize("offset", [17, [1, 2, 3], "text", {"a": 1}, {"a": ["x", 1]}])
def test_other_sources_are_named_and_keep_the_numbers_of_the_rest(offset: object) -> None:
    parsed = parse_progress(progress(source("RateStream", offset, offset), source(TOPICS, None, {"clicks": {"0": 1}})))
    assert parsed.ignored == ("RateStream",)
    assert [one.number for one in parsed.sources] == [1]


def test_an_offset_that_is_no_json_is_of_an_unknown_source() -> None:
    offsets = {"startOffset": "None", "endOffset": "file-1"}
    assert parse_progress(progress({"description": "Files", **offsets})).ignored == ("Files",)


def test_a_source_that_has_read_nothing_yet_is_not_unknown() -> None:
    parsed = parse_progress(progress(source(TOPICS, None, None), source("ours", None, {})))
    assert (parsed.sources, parsed.ignored) == ((), ())


def test_joined_batches_begin_where_the_earlier_one_begins() -> None:
    earlier, later = (
        parse_progress(progress(source(TOPICS, {"clicks": {"0": first}}, {"clicks": {"0": first + 5}}), batch=first))
        for first in (0, 5)
    )
    (joined,) = later.after(earlier).sources
    assert (joined.start, joined.end) == (earlier.sources[0].start, later.sources[0].end)
    of_next_run = later._replace(run_id="next")
    assert of_next_run.after(earlier) is of_next_run
