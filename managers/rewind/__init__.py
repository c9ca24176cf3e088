"""Rewinds: plans that move the starting offsets of a job, their price, and how they are applied and undone."""
