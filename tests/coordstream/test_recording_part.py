"""A stream in recordings."""

from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from coordstream.recording_part import Part
from eventlog.events import RecordedEvent
from eventlog.recording import write_recording
from eventlog.recording_spool import LineSpool, check_recording
from eventlog.streams import identify
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, config_event

EVENTS = [config_event(offset, "a", str(offset)) for offset in range(5)]


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[dict[str, Part]]:
    files = tmp_path / "1.jsonl", tmp_path / "2.jsonl.gz"
    write_recording(files[0], [(COORDINATOR, EVENTS[0]), (CHECKPOINT, EVENTS[1]), (COORDINATOR, EVENTS[2])])
    write_recording(files[1], [(COORDINATOR, EVENTS[3]), (COORDINATOR, EVENTS[4])])
    with LineSpool() as spool:
        first, second = (check_recording(file, spool) for file in files)
        yield {
            COORDINATOR: Part(identify(COORDINATOR), (first, second), 4),
            CHECKPOINT: Part(identify(CHECKPOINT), (first,), 1),
        }


def test_its_events_can_be_read_repeatedly_from_all_its_files(parts: dict[str, Part]) -> None:
    for _ in range(2):
        assert list(parts[COORDINATOR].events()) == [EVENTS[0], EVENTS[2], EVENTS[3], EVENTS[4]]
        assert list(parts[CHECKPOINT].events()) == [EVENTS[1]]


def test_records_appended_after_the_check_are_left_out(parts: dict[str, Part]) -> None:
    part = parts[COORDINATOR]
    for recording in part.recordings:
        write_recording(recording.path, [(COORDINATOR, config_event(offset, "a", str(offset))) for offset in range(9)])
    assert [event.offset for event in part.events()] == [0, 2, 0, 1]


def test_another_process_reads_the_same_events(parts: dict[str, Part]) -> None:
    context = get_context("spawn")
    ours, its = context.Pipe()
    with ours, its:
        process = context.Process(target=send_events, args=(its, list(parts.values())))
        process.start()
        assert ours.recv() == [list(part.events()) for part in parts.values()]
        process.join()
        process.close()


def send_events(pipe: "Connection[list[list[RecordedEvent]], None]", parts: Sequence[Part]) -> None:
    pipe.send([list(part.events()) for part in parts])
