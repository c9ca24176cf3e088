"""See `coordstream.cli.messages`."""

from coordstream.cli.messages import confirm as ask

__all__ = ["ask"]
