"""Observing inputs beside a follower."""

from pathlib import Path
from threading import Event

import pytest

from coordstream.cli.follow import input_observer
from coordstream.cli.follow.input_observer import observing_inputs
from tests.coordstream.command_line import CommandLine
from tests.fixtures.waiting import PATIENCE, wait_until

OBSERVATIONS = "select count(distinct observed_at), count(end_offset) from coordinator.input_bound"


def test_an_outage_of_the_inputs_is_reported_once_and_stored_as_unknown(
    wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        input_observer, "_FOLLOWED", "select distinct job_name, job_id from projection.job_log order by 1, 2"
    )
    reported: list[str] = []
    with observing_inputs(wordcount.database_url, 0.01, reported.append):
        wait_until(lambda: wordcount.ask(OBSERVATIONS)[0][0] >= 3, what="three observations")
    assert wordcount.ask(OBSERVATIONS)[0][1] == 0
    (sentence,) = reported
    assert sentence == (
        "Cannot ask the inputs of wordcount_pv/1: kafka: No broker answers at 127.0.0.1:19092. "
        "Check that it runs and can be reached, or correct the brokers in the job's config."
    )


def test_an_outage_of_the_database_is_reported_and_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    with observing_inputs("postgresql://127.0.0.1:1/none", 0.01, reported.append):
        wait_until(lambda: bool(reported), what="the report")
    assert len(reported) == 1
    assert reported[0].startswith("Cannot observe the inputs: ")


def test_settings_that_become_invalid_are_reported_and_inputs_observed_again_later(
    wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        input_observer, "_FOLLOWED", "select distinct job_name, job_id from projection.job_log order by 1, 2"
    )
    settings = Path("coordstream.toml")
    settings.write_text("home = ")
    reported: list[str] = []
    with observing_inputs(wordcount.database_url, 0.01, reported.append):
        wait_until(lambda: bool(reported), what="the report")
        settings.unlink()
        wait_until(lambda: wordcount.ask(OBSERVATIONS)[0][0] >= 1, what="an observation")
    assert reported[0].startswith("Cannot observe the inputs: Invalid TOML in coordstream.toml: ")


def test_an_observer_that_hangs_does_not_keep_a_follower_from_stopping(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging, go_on = Event(), Event()

    def hang(_: str) -> list[str]:
        hanging.set()
        go_on.wait(PATIENCE)
        return []

    monkeypatch.setattr(input_observer, "_STOP_SECONDS", 0.01)
    monkeypatch.setattr(input_observer, "observe_once", hang)
    with observing_inputs("", 0.01, pytest.fail):
        assert hanging.wait(PATIENCE)
    assert not go_on.is_set()
    go_on.set()
