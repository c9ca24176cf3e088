"""Public models copy their arguments, and their contents are read-only."""

import copy
import inspect
import pickle
import types
from collections.abc import Callable, Mapping, Set
from dataclasses import is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel, ValidationError

import coordstream


def is_model(each: Any) -> bool:
    is_class = inspect.isclass(each) and not issubclass(each, Exception)
    return is_class and (is_dataclass(each) or issubclass(each, BaseModel) or hasattr(each, "_fields"))


MODELS = {name: each for name in dir(coordstream) if is_model(each := getattr(coordstream, name))}
del MODELS["Retry"]  # holds functions only

PLAIN: dict[Any, Any] = {str: "a", int: 1, bool: True, bytes: b"a", float: 1.0, Path: Path("a"), Any: "a"}


def sample(hint: Any) -> Any:
    """A sample value of a type; mappings and collections are mutable."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return args[0]
    if origin is Callable:
        return str
    if origin in (Union, types.UnionType):
        return sample(next(each for each in args if each is not type(None)))
    if origin is not None:
        return collection(origin, [sample(each) for each in args if each is not Ellipsis])
    if is_model(hint):
        return hint(**fields_of(hint))
    return sample(hint.__supertype__) if hasattr(hint, "__supertype__") else PLAIN[hint]


def collection(origin: type, entries: list[Any]) -> Any:
    if issubclass(origin, Mapping):
        return dict([entries])
    if issubclass(origin, tuple):
        return tuple(entries)
    return set(entries) if issubclass(origin, Set) else entries


def fields_of(model: type) -> dict[str, Any]:
    known = inspect.signature(model).parameters
    return {name: sample(hint) for name, hint in get_type_hints(model).items() if name in known}


def change(value: Any) -> None:
    """Change a mapping or a collection, and nested ones."""
    if isinstance(value, dict):
        for each in value.values():
            change(each)
        value["evil"] = "evil"
    elif isinstance(value, list):
        value.append("evil")
    elif isinstance(value, set):
        value.add("evil")


def changeable(value: Any) -> list[Any]:
    """The mutable parts of a value, including nested ones."""
    if is_dataclass(value) or isinstance(value, BaseModel):
        names = [name for name in get_type_hints(type(value)) if hasattr(value, name)]
        return [each for name in names for each in changeable(getattr(value, name))]
    if isinstance(value, Mapping):
        within = [each for entry in value.values() for each in changeable(entry)]
        return within if is_refused(lambda: value.__setitem__("evil", "evil")) else [value, *within]  # type: ignore[index]
    if isinstance(value, tuple):
        return [each for entry in value for each in changeable(entry)]
    return [value] if isinstance(value, (list, set, bytearray)) else []


def is_refused(act: Callable[[], object]) -> bool:
    try:
        act()
    except (TypeError, AttributeError, ValidationError):
        return True
    return False


def test_models_are_found() -> None:
    assert {"CheckpointV1", "JobModel", "SetCheckpoint", "SystemStreamMetadata", "KafkaOptions"} <= MODELS.keys()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_copies_its_arguments_and_is_read_only_and_can_be_pickled(name: str) -> None:
    given = fields_of(MODELS[name])
    made = MODELS[name](**given)
    before = copy.deepcopy({field: getattr(made, field) for field in given})
    for value in given.values():
        change(value)
    assert {field: getattr(made, field) for field in given} == before
    assert changeable(made) == []
    assert all(is_refused(partial(setattr, made, field, None)) for field in given)
    for other in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):  # noqa: S301 (our own bytes)
        assert (other, repr(other), changeable(other)) == (made, repr(made), [])
