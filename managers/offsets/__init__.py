"""Offsets of tasks: where they start, what they have processed, and what they commit."""
