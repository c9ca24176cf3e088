import pytest
import typer

from coordstream.cli.confirmation import ask
from coordstream.errors import CoordstreamError


def answer(monkeypatch: pytest.MonkeyPatch, said: bool | None) -> None:
    """Sit at a terminal and give this answer; None: break off."""

    def confirm(_: str, **__: object) -> bool:
        if said is None:
            raise typer.Abort
        return said

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)


def test_yes_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ask("Write?", yes=True)
    answer(monkeypatch, said=True)
    ask("Write?", yes=False)


@pytest.mark.parametrize("said", [False, None])
def test_another_answer_ends_it(monkeypatch: pytest.MonkeyPatch, said: bool | None) -> None:
    answer(monkeypatch, said)
    with pytest.raises(CoordstreamError, match="nothing was deleted: the answer was not yes"):
        ask("Delete?", yes=False, done="deleted")


def test_where_nobody_can_be_asked_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(CoordstreamError, match="nothing was written: nobody can be asked here, so give --yes"):
        ask("Write?", yes=False)
