"""The compiled parts: built where there is a compiler, and left out on demand."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Final

import pytest

from eventlog.compiled import COMPILED_PARTS, compiled_part
from tests.checkout import CHECKOUT

PARTS: Final = "from eventlog.compiled import *; print([compiled_part(name) for name in COMPILED_PARTS])"


def can_compile() -> bool:
    headers = Path(sysconfig.get_paths()["include"], "Python.h")
    return shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]) is not None and headers.exists()


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


@pytest.mark.slow
@pytest.mark.skipif(not can_compile(), reason="needs a C compiler")
def test_a_wheel_contains_them_on_demand(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(CHECKOUT, source, ignore=shutil.ignore_patterns(".*", "build", "tests", "docs", "*.so"))
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    build += ["--wheel-dir", str(tmp_path), str(source)]
    subprocess.run(build, env=os.environ | {"COORDSTREAM_COMPILE": "1"}, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name
    environment = {**os.environ, "COORDSTREAM_COMPILED": "1", "PYTHONPATH": str(tmp_path / "unpacked")}
    shutil.unpack_archive(wheel, tmp_path / "unpacked", "zip")
    shown = subprocess.run(
        [sys.executable, "-P", "-c", PARTS], env=environment, cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    assert shown.count("unpacked") == len(COMPILED_PARTS)
    assert [path for path in (tmp_path / "unpacked").rglob("*") if path.suffix in {".c", ".h"}] == []
