"""`coordstream serve`: health, metrics, JSON and pages over HTTP, read-only (the extra ``serve``)."""
