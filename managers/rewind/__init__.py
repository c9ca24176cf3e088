"""Rewinds: plans that move the starting offsets of a job, their cost, and how they are applied and undone."""
