"""What a decoded JSON value is, in words."""

from typing import Final

_NAMES: Final = {
    dict: "an object",
    tuple: "an object",  # as pairs, where names may stand twice
    list: "a list",
    str: "a text",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    type(None): "null",
}


def json_type(value: object) -> str:
    """The JSON type of a value with its article, fit for an error that must not show the value."""
    return _NAMES[type(value)]
