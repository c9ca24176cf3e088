"""All our errors survive pickling: Spark's executors and workers raise them in other processes."""

import inspect
import pickle
import pkgutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import Final

from eventlog.checkpoint import CheckpointV1
from eventlog.errors import PortableError, WireError

PACKAGES: Final = ("coordstream", "eventlog", "managers", "projections", "spark_jobs")
EXAMPLES: Final[Mapping[str, object]] = {
    "Checkpoint": CheckpointV1({}),
    "SettingChange": (),
    "ChangelogRemap": (),
    "WireError": WireError("empty", "there is nothing"),
    "BaseException": None,
    "OSError": OSError("the disk is full"),
    "datetime": datetime(2026, 3, 4, tzinfo=UTC),
    "bool": True,
    "float": 7.5,
    "int": 7,
    "Mapping[str, str]": {},
    "dict[str, str]": {},
}


def errors_below(root: type[PortableError]) -> Iterator[type[PortableError]]:
    for error_class in root.__subclasses__():
        yield error_class
        yield from errors_below(error_class)


def all_errors() -> list[type[PortableError]]:
    for package in PACKAGES:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    return [each for each in errors_below(PortableError) if each.__module__.partition(".")[0] in PACKAGES]


def given(parameter: inspect.Parameter) -> object:
    """A sample argument of an error: by its annotation, else a text with a number."""
    kind = str(parameter.annotation)
    return next((example for word, example in EXAMPLES.items() if word in kind), f"7-{parameter.name}")


def test_an_error_survives_pickling_with_its_message_data_and_notes() -> None:
    errors = all_errors()
    assert len(errors) > 50
    for error_class in errors:
        _, *taken = inspect.signature(error_class.__init__).parameters.values()
        named = [given(one) for one in taken if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        options = {one.name: given(one) for one in taken if one.kind is inspect.Parameter.KEYWORD_ONLY}
        error = error_class(*named, **options)
        error.add_note("where it was raised")
        same = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
        assert (type(same), str(same), same.args, vars(same)) == (error_class, str(error), error.args, vars(error))
