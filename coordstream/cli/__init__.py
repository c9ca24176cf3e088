"""The command line: a noun, then a verb."""

from coordstream.cli.app import main

__all__ = ["main"]
