"""Startpoints: requests, their fan-out to tasks, and what a request would change."""
