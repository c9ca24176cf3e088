"""The compiled parts: built where there is a compiler, and left out on demand."""

import os
import subprocess
import sys
from typing import Final

import pytest

from eventlog.compiled import COMPILED_PARTS, compiled_part
from tests.checkout import CHECKOUT
from tests.fixtures.compiled_parts import can_compile

PARTS: Final = "from eventlog.compiled import *; print([compiled_part(name) for name in COMPILED_PARTS])"


def test_every_c_file_is_a_compiled_part_of_a_module() -> None:
    files = [path for package in ("eventlog", "projections") for path in (CHECKOUT / package).rglob("*.c")]
    sources = {str(path.relative_to(CHECKOUT)) for path in files}
    assert sources == {name.replace(".", "/") + ".c" for name in COMPILED_PARTS}


def test_make_setup_compiles_them_where_it_can() -> None:
    built = [name for name in COMPILED_PARTS if compiled_part(name) is not None]
    if os.environ.get("COORDSTREAM_COMPILED") == "0" or not can_compile():
        assert built in ([], list(COMPILED_PARTS))
    else:
        assert built == list(COMPILED_PARTS), "run make setup"


def test_they_are_left_out_on_demand() -> None:
    environment = os.environ | {"COORDSTREAM_COMPILED": "0"}
    program = [sys.executable, "-c", PARTS]
    shown = subprocess.run(program, env=environment, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout
    assert shown == f"{[None] * len(COMPILED_PARTS)}\n"


def test_one_of_another_source_is_not_used(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    part = pytest.importorskip(COMPILED_PARTS[0])
    monkeypatch.delenv("COORDSTREAM_COMPILED", raising=False)
    assert compiled_part(COMPILED_PARTS[0]) is part
    monkeypatch.setattr(part, "SOURCE", "0" * 64)
    assert compiled_part(COMPILED_PARTS[0]) is None
    (record,) = caplog.records
    assert "make setup" in record.getMessage()
