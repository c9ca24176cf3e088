"""Stores of a coordinator stream: the newest value of each key."""
