"""NUL and halves of surrogate pairs are found wherever they stand; nothing else is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from projections.fold.rows import require_storable


@pytest.mark.parametrize("value", ["a\0", {"a": ["\0"]}, {"\0": 1}, ("x", ["\0"]), [{"a": {"b": "\0"}}]])
def test_nul_is_found(value: Any) -> None:
    with pytest.raises(WireError, match="nul: "):
        require_storable(b"\\u0000", value)


def test_half_a_pair_is_found() -> None:
    with pytest.raises(WireError, match="surrogate: "):
        require_storable(b"\\ud83d", {"a": "\ud83d"})


@given(st.recursive(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.lists))
def test_what_text_holds_is_let_through(value: Any) -> None:
    require_storable(b"\\u0041", value)


def test_an_escaped_backslash_before_u_is_no_nul() -> None:
    require_storable(b'"\\\\u0000"', "\\u0000")
