"""Reads the job model that a job coordinator serves, as a container does when it starts."""

from http.client import HTTPException
from typing import Final
from urllib.parse import urlsplit
from urllib.request import urlopen

from eventlog.errors import WireError, system_reason
from managers.errors import ManagerError
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_json import from_json

TIMEOUT_SECONDS: Final = 30.0


class JobModelNotRead(ManagerError):
    """A job coordinator does not answer, or what it serves is no job model."""

    def __init__(self, url: str, reason: str) -> None:
        self.url = url
        super().__init__(f"Cannot read the job model at {url}: {reason}. Check SAMZA_COORDINATOR_URL.")


def read_job_model(url: str, *, timeout_seconds: float = TIMEOUT_SECONDS) -> JobModel:
    """The job model at ``SAMZA_COORDINATOR_URL`` (SamzaContainer.readJobModel). Raises `JobModelNotRead`."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise JobModelNotRead(url, "it is not an HTTP URL")
    try:
        with urlopen(url, timeout=timeout_seconds) as answer:  # noqa: S310 (its scheme was checked)
            return from_json(answer.read())
    except WireError as error:
        raise JobModelNotRead(url, str(error)) from error
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise JobModelNotRead(url, system_reason(reason) if isinstance(reason, OSError) else str(reason)) from error
    except HTTPException as error:
        raise JobModelNotRead(url, f"its answer is not HTTP ({type(error).__name__})") from error
