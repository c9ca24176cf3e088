"""All our errors survive pickling with the same message."""

import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import import_module
from multiprocessing import Pipe
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


def all_errors() -> list[type[PortableError]]:
    """All our error classes, of every module."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    return [error_class for error_class in tree(PortableError) if error_class.__module__.partition(".")[0] in PACKAGES]


def tree(root: type[PortableError]) -> Iterator[type[PortableError]]:
    for error_class in root.__subclasses__():
        yield error_class
        yield from tree(error_class)


def made(error_class: type[PortableError]) -> PortableError:
    _, *taken = inspect.signature(error_class.__init__).parameters.values()
    named = [one for one in taken if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    options = [one for one in taken if one.kind is inspect.Parameter.KEYWORD_ONLY]
    return error_class(*(given(one) for one in named), **{one.name: given(one) for one in options})


def given(parameter: inspect.Parameter) -> object:
    """A sample argument of an error: by its annotation, else a text with a number."""
    kind = str(parameter.annotation)
    return next((example for word, example in EXAMPLES.items() if word in kind), f"7-{parameter.name}")


def test_an_error_survives_a_pipe() -> None:
    receiver, sender = Pipe(duplex=False)
    with receiver, sender:
        for error_class in all_errors():
            error = made(error_class)
            error.add_note("where it was raised")
            sender.send(error)
            same = receiver.recv()
            assert type(same) is error_class
            assert (str(same), same.args, vars(same)) == (str(error), error.args, vars(error))


def test_errors_with_data_are_included() -> None:
    data = {error_class.__name__: len(vars(made(error_class))) for error_class in all_errors()}
    assert (data["PositionMoved"], data["FoldVersionDiffers"], data["AppendConflict"], data["SchemaError"]) == (
        2,
        3,
        3,
        0,
    )
