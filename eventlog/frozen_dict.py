"""A read-only dictionary, so that models can share and return their mappings without a copy."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, fields
from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenDict(dict[Key, Value]):
    """A read-only dictionary. Unlike `types.MappingProxyType` it can be hashed, pickled, copied and encoded as JSON."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def _refuse(self, *_args: Any, **_named: Any) -> NoReturn:
        raise TypeError("This mapping is read-only. Change a copy: dict(mapping).")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


def frozen(mapping: Mapping[Key, Value]) -> FrozenDict[Key, Value]:
    """A read-only copy of a mapping, or the mapping itself if it is already read-only."""
    return mapping if isinstance(mapping, FrozenDict) else FrozenDict(mapping)


@dataclass(frozen=True)
class FrozenFields:
    """A base class of frozen dataclasses, whose mappings and sets are read-only copies of what they were made with."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, Mapping | Set):
                read_only = frozen(value) if isinstance(value, Mapping) else frozenset(value)
                object.__setattr__(self, each.name, read_only)


def frozen_deeply(value: Any) -> Any:
    """A read-only copy of a value such as decoded JSON: mappings are `FrozenDict`, lists are tuples."""
    if isinstance(value, Mapping):
        return FrozenDict({name: frozen_deeply(field) for name, field in value.items()})
    if isinstance(value, list | tuple):
        return tuple(map(frozen_deeply, value))
    return value
