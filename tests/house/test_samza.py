"""The Java programs for Samza are compiled with the JDK of the java on the PATH, if it is a JDK."""

from pathlib import Path

import pytest

from tests.fixtures.samza import compiler_beside


@pytest.mark.parametrize(("programs", "expected"), [(["java"], None), (["java", "javac"], "javac")])
def test_a_jre_has_no_compiler(tmp_path: Path, programs: list[str], expected: str | None) -> None:
    home, link = tmp_path / "jdk", tmp_path / "java"
    home.mkdir()
    for program in programs:
        (home / program).touch()
    link.symlink_to(home / "java")
    found = expected and home / expected
    assert [compiler_beside(java) for java in (home / "java", link)] == [found, found]
