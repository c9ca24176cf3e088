"""Replays of many logs at once: topics, recordings and the archive become relations."""
