"""Arguments that are not UTF-8, at the front door: Python escapes the byte FF as U+DCFF."""

from pathlib import Path

import pytest

from coordstream.cli import main
from tests.coordstream.command_line import COORDINATOR, CommandLine, in_own_process

FF = "\udcff"


@pytest.mark.parametrize(
    ("words", "parameter"),
    [
        (("checkpoint", "write", "orders", f"{FF}/kafka.page-views.0=5", "--force", "--yes"), "FILE | TASK/SSP=OFFSET"),
        (("startpoint", "write", "orders", "kafka.page-views.0", f"offset:{FF}", "--yes"), "POSITION"),
        (("log", "show", FF), "STREAM"),
        (("log", "tail", FF), "STREAM"),
        (("log", "create", FF), "STREAM"),
        (("log", "append", FF, "--key", "a", "--value", "b"), "STREAM"),
        (("follow", FF, "--once"), "STREAM"),
        (("export", FF), "STREAM"),
        (("grant", "reader", FF), "USER"),
        (("bisect", FF, "--job", "orders"), "CONDITION"),
        (("lag", "--task", FF), "--task"),
        (("explain", "orders", FF), "TASK"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else None,
)
def test_text_that_is_not_utf8_is_refused(
    words: tuple[str, ...], parameter: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith(f"Invalid value for '{parameter}': Expected text in UTF-8. See `coord")


def test_paths_may_have_any_bytes(wordcount: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / FF
    environment = {"COORDSTREAM_DATABASE_URL": wordcount.database_url}
    assert in_own_process("export", COORDINATOR, "-o", str(path), **environment).code == 0
    assert path.exists()
    path.write_text("no offsets")
    finished = in_own_process("checkpoint", "write", "wordcount-pv", str(path), **environment)
    assert f"{tmp_path}/\\udcff, line 1: 'no offsets' is not a property." in finished.err
