"""Commands report unknown names with suggestions."""

import re

import pytest

from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, CommandLine

pytestmark = pytest.mark.slow

JOB = "wordcount_pv"
EARLY = "2020-01-01"
NO_EVENT = (
    "Job wordcount_pv/1 has no events as of 2020-01-01 00:00:00 UTC. Its first event is from 2026-11-21 09:16:29 UTC."
)


@pytest.mark.parametrize(
    "words",
    [
        ("config", "show", JOB),
        ("config", "history", JOB),
        ("checkpoint", "show", JOB),
        ("checkpoint", "history", JOB),
        ("startpoint", "show", JOB),
        ("startpoint", "show", JOB, "--history"),
    ],
)
def test_before_the_first_event_a_note_has_its_time(wordcount: CommandLine, words: tuple[str, ...]) -> None:
    finished = wordcount(*words, "--as-of", EARLY, "--json")
    assert (finished.code, finished.json, finished.err) == (0, [], f"{NO_EVENT}\n")
    (newest,) = wordcount.ask("select max(record_time)::text from coordinator.event")
    at_its_end = wordcount(*words, "--as-of", newest[0])
    assert at_its_end.err == ""
    assert not re.search("(day|month|year)s? ago", at_its_end.out), "ages are relative to the time asked for"


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--as-of", "2999-01-01", "2999-01-01 00:00:00 UTC is in the"),
        ("--as-of-offset", "9999", "Offset 9999 is beyond"),
    ],
)
def test_after_the_last_event_a_note_says_so(wordcount: CommandLine, option: str, value: str, reason: str) -> None:
    finished = wordcount("config", "show", JOB, option, value, "--json")
    assert finished.json == wordcount("config", "show", JOB, "--json").json
    assert finished.err.startswith(reason)
    assert finished.err.endswith("This is the state now.\n")


def test_tasks_before_the_first_event_are_refused(wordcount: CommandLine) -> None:
    assert wordcount.refused("explain", JOB, "Partition 0", "--as-of", EARLY) == NO_EVENT
    finished = wordcount("config", "diff", JOB, "--from", EARLY)
    assert (finished.code, finished.err) == (1, f"{NO_EVENT}\n")


@pytest.mark.parametrize(
    ("pattern", "suggestion"),
    [
        ("task", ' Did you mean "task.*"?'),
        ("job.container.counts", ' Did you mean "job.container.count" or "'),
        ("zzz*", ""),
    ],
)
def test_a_pattern_without_a_match_is_reported(wordcount: CommandLine, pattern: str, suggestion: str) -> None:
    sentence = f'No config key of wordcount_pv/1 matches "{pattern}".{suggestion}'
    for words in (("show", JOB), ("history", JOB), ("diff", JOB, "--from", "2026-11-22")):
        finished = wordcount("config", *words, "--key", pattern, "--json")
        assert (finished.code, finished.json) == (0, [])
        assert finished.err.startswith(sentence)
        assert finished.err.count("\n") == 1
    assert wordcount("config", "show", JOB, "--key", "task.*").err == ""


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        (("config", "show", "wordcont_pv"), "wordcount_pv"),
        (("config", "show", "wordcountpv/1"), "wordcount_pv/1"),
        (("quarantine", "wordcuont_pv"), "wordcount_pv"),
        (("explain", JOB, "Partition1"), 'Partition 1" or'),
        (("checkpoint", "show", JOB, "--task", "Partition1"), 'Partition 1" or'),
        (("log", "show", "__samza_coordinator_wordcount_pv_1"), f'{COORDINATOR}" or'),
        (("export", "__samza_checkpoint_ver_1_for_wordcount_pv_1"), f'{CHECKPOINT}" or'),
        (("log", "append", "__samza_coordinator_wordcount_pv_1", "--key", "a", "--value", "b"), f'{COORDINATOR}" or'),
    ],
)
def test_an_unknown_name_gets_suggestions(wordcount: CommandLine, words: tuple[str, ...], suggestion: str) -> None:
    assert f' Did you mean "{suggestion}' in wordcount.refused(*words)
