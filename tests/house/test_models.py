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
from coordstream import (
    CheckpointManager,
    CheckpointV1,
    CoordinatorStreamConsumer,
    CoordinatorStreamMessage,
    MemoryEventLog,
    SystemStreamPartition,
    identify,
    parse_offsets,
)
from eventlog.wire.coordinator import CoordinatorKey
from tests.builders import config_set

STREAM = identify("__samza_coordinator_orders_1")
MUTABLE = (dict, list, set, bytearray)


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
    return [value] if isinstance(value, MUTABLE) else []


def is_refused(act: Callable[[], object]) -> bool:
    try:
        act()
    except (TypeError, AttributeError, ValidationError):
        return True
    return False


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 (our own bytes)


def test_models_are_found() -> None:
    assert {"CheckpointV1", "JobModel", "SetCheckpoint", "SystemStreamMetadata", "KafkaOptions"} <= MODELS.keys()
    assert len(MODELS) > 35


@pytest.mark.parametrize("name", MODELS)
def test_a_model_copies_its_arguments(name: str) -> None:
    given = fields_of(MODELS[name])
    made = MODELS[name](**given)
    before = copy.deepcopy({field: getattr(made, field) for field in given})
    for value in given.values():
        change(value)
    assert {field: getattr(made, field) for field in given} == before


@pytest.mark.parametrize("name", MODELS)
def test_the_contents_of_a_model_are_read_only(name: str) -> None:
    given = fields_of(MODELS[name])
    made = MODELS[name](**given)
    assert changeable(made) == []
    for field in given:
        assert is_refused(partial(setattr, made, field, None))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_can_be_pickled_copied_and_compared(name: str) -> None:
    made = MODELS[name](**fields_of(MODELS[name]))
    for other in (pickled(made), copy.copy(made), copy.deepcopy(made)):
        assert other == made
        assert repr(other) == repr(made)
        assert changeable(other) == []


def test_changing_a_checkpoint_does_not_affect_later_reads() -> None:
    partition = SystemStreamPartition("kafka", "in", 0)
    with CheckpointManager(MemoryEventLog(STREAM)) as manager:
        manager.register("T")
        manager.write_checkpoint("T", CheckpointV1({partition: "7"}))
        checkpoint = manager.read_last_checkpoint("T")
        assert checkpoint is not None
        with pytest.raises(TypeError, match="read-only"):
            checkpoint.offsets[partition] = "evil"  # type: ignore[index]
        assert manager.read_last_checkpoint("T") == CheckpointV1({partition: "7"})


def test_offsets_of_a_file_are_read_only() -> None:
    found = parse_offsets("tasknames.T.systems.kafka.streams.in.partitions.0=7")
    assert found.offsets == {"T": {SystemStreamPartition("kafka", "in", 0): "7"}}
    assert changeable(found) == []


def test_a_message_copies_its_map() -> None:
    given: dict[str, Any] = {"values": {"a": ["b"], "c": {"d": "e"}}, "source": "s"}
    message = CoordinatorStreamMessage(key_array=(1, "t", "k"), message_map=given)
    given["values"]["a"].append("evil")
    given["values"]["c"]["d"] = given["values"]["evil"] = "evil"
    assert message.message_map == {"values": {"a": ("b",), "c": {"d": "e"}}, "source": "s"}
    assert changeable(message.message_map) == changeable(message.values) == []


def test_a_decoded_message_is_read_only_and_equals_a_built_one() -> None:
    value = b'{"values":{"a":["b"],"c":{"d":"e"}},"source":"s"}'
    read, again = (CoordinatorStreamMessage.read(CoordinatorKey(1, "t", "k"), value) for _ in range(2))
    made = CoordinatorStreamMessage(key_array=(1, "t", "k"), message_map={"values": {"a": ["b"], "c": {"d": "e"}}})
    assert changeable(read.values) == changeable(read.message_map) == changeable(read.source) == []
    assert read == again == made == read
    assert read.event().value == again.event().value == value


def test_messages_of_a_consumer_are_read_only() -> None:
    log = MemoryEventLog(STREAM)
    log.append([config_set("a", "1")])
    with CoordinatorStreamConsumer(log) as consumer:
        (message,) = consumer.get_bootstrapped_stream()
        assert changeable(message.message_map) == []
        assert is_refused(lambda: message.values.__setitem__("value", "evil"))  # type: ignore[index]
        assert is_refused(lambda: consumer.config.__setitem__("a", "evil"))  # type: ignore[index]
