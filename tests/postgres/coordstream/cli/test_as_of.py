"""Ages in a table as of a time are those at that time."""

import re

import pytest

from tests.fixtures.coordstream.command_line import CommandLine


@pytest.mark.parametrize(
    "words",
    [(noun, verb) for noun in ("config", "checkpoint") for verb in ("show", "history")] + [("startpoint", "show")],
)
def test_ages_are_relative_to_the_time_asked_for(wordcount: CommandLine, words: tuple[str, str]) -> None:
    ((newest,),) = wordcount.ask("select max(record_time)::text from coordinator.event")
    printed = wordcount.done(*words, "wordcount_pv", "--as-of", newest)
    assert not re.search("(day|month|year)s? ago", printed)
