"""Pages of the documentation's site that are elsewhere, or made of the code (a hook of MkDocs)."""

import ast
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]


def on_files(files: Files, config: Any) -> Files:
    """Add README.md, the files beside it, the list of decisions, and the API of the public names."""
    texts = {"index.md": (ROOT / "README.md").read_text(), "api.md": _api(), "adr/index.md": _decisions()}
    texts |= {name: (ROOT / name).read_text() for name in ("CONTRIBUTING.md", "CHANGELOG.md")}
    for name, text in texts.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Change the links between docs/ and the folder above it, which the site does not have."""
    markdown = re.sub(r"\]\((?:docs/)?adr\)", "](adr/index.md)", markdown)
    return re.sub(r"\]\((?:\.\./|docs/)(?=[\w/-]+\.md)", "](", markdown)


def _decisions() -> str:
    titles = {
        path.name: path.read_text().partition("\n")[0].lstrip("# ") for path in sorted((ROOT / "docs/adr").glob("*.md"))
    }
    return "# Decisions\n\n" + "".join(f"- [{title}]({name})\n" for name, title in titles.items())


def _api() -> str:
    """The names of ``coordstream``, by the module that defines them."""
    names = defaultdict(list)
    for node in ast.parse((ROOT / "coordstream/__init__.pyi").read_text()).body:
        if isinstance(node, ast.ImportFrom):
            names[node.module or ""] += [alias.name for alias in node.names]
    parts = [f"::: {module}\n    options:\n      members: {found}\n" for module, found in sorted(names.items())]
    return "# API\n\nAll of these names can be imported from `coordstream`.\n\n" + "\n".join(parts)
