"""A stream as recordings hold it."""

from multiprocessing import Pipe
from pathlib import Path

from coordstream.recording_part import Part
from eventlog.recording import write_recording
from eventlog.streams import identify
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, config_event


def test_its_events_are_those_of_its_topic_in_all_its_files_each_time_they_are_read(tmp_path: Path) -> None:
    events = [config_event(offset, "a", str(offset)) for offset in range(4)]
    files = tmp_path / "1.jsonl", tmp_path / "2.jsonl.gz"
    write_recording(files[0], [(COORDINATOR, events[0]), (CHECKPOINT, events[1]), (COORDINATOR, events[2])])
    write_recording(files[1], [(COORDINATOR, events[3])])
    part = Part(identify(COORDINATOR), files, 3)
    ours, its = Pipe()
    with ours, its:
        ours.send(part.events)  # as it goes to a process
        for read_events in (part.events, its.recv()):
            assert list(read_events()) == list(read_events()) == [events[0], events[2], events[3]]
