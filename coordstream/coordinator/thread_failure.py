"""Reports unexpected errors in the threads of a coordinator."""

from collections.abc import Callable

from coordstream.private_traceback import private_traceback


def report_failure(report: Callable[[str], None], what: str, error: Exception) -> None:
    """Report what has failed, and the traceback without what may repeat values."""
    report(f"{describe_failure(what, error)} It is tried again.")
    report(private_traceback(error).rstrip())


def describe_failure(what: str, error: Exception) -> str:
    """What has failed, as a sentence."""
    return f"The {what} failed unexpectedly: {type(error).__name__}."
