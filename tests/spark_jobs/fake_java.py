"""A program that stands in for Java, for what the real one cannot be made to do."""

from pathlib import Path


def fake_java(folder: Path, script: str) -> Path:
    """A program named java in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "java"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program
