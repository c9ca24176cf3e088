import pytest
import typer

from coordstream.cli.messages import confirm
from coordstream.errors import CoordstreamError
from coordstream.messages import note, warn


def answer(monkeypatch: pytest.MonkeyPatch, answered: bool | None) -> None:
    """Answer on a terminal; None is Ctrl-C."""

    def ask(_: str, **__: object) -> bool:
        if answered is None:
            raise typer.Abort
        return answered

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", ask)


def test_yes_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    confirm("Write?", yes=True)
    answer(monkeypatch, answered=True)
    confirm("Write?", yes=False)


@pytest.mark.parametrize("answered", [False, None])
def test_another_answer_ends_the_command(monkeypatch: pytest.MonkeyPatch, answered: bool | None) -> None:
    answer(monkeypatch, answered)
    with pytest.raises(CoordstreamError, match=r"^Nothing was deleted: not confirmed\.$"):
        confirm("Delete?", yes=False, done="deleted")


def test_without_a_terminal_yes_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(CoordstreamError, match=r"^Nothing was written: confirmation needs a terminal\."):
        confirm("Write?", yes=False)


def test_notes_and_warnings_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    note("")
    note("One.")
    warn(["Two.", "Three."])
    assert capsys.readouterr() == ("", "One.\nwarning: Two.\nwarning: Three.\n")
