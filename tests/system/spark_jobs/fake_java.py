"""A fake Java, for behaviour that the real one cannot be made to show."""

from pathlib import Path


def fake_java(folder: Path, script: str) -> Path:
    """Create a program named java in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "java"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program
