"""What tests read of a page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Final

from tests.coordstream.serve.serving import Served

_VOID: Final = {"br", "img", "input", "link", "meta"}


@dataclass
class Page(HTMLParser):
    """A page: its text, its elements in order, and the addresses of its links."""

    html: str
    words: list[str] = field(default_factory=list)
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        """The text with single spaces."""
        return re.sub(r"\s+", " ", " ".join(self.words))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of each element with a tag."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def links(self) -> list[str]:
        return [str(link["href"]) for link in self.all("a")]


@dataclass
class Site:
    """A running service."""

    served: Served

    def get(self, path: str, status: int = 200, parameters: Mapping[str, str] | None = None, **further: Any) -> Page:
        """A page, which must have this status."""
        answer = self.served.client.get(path, params={**(parameters or {}), **further} or None)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        return Page(answer.text)

    def json(self, path: str, status: int = 200, **parameters: Any) -> Any:
        """An answer of the API, which must have this status."""
        answer = self.served.client.get(path, params=parameters or None)
        assert answer.status_code == status, answer.text
        return answer.json()
