"""Follows Kafka with Structured Streaming: the driver holds and attaches the streams, executors apply their events.

The follower of `projections.follow` runs in the driver unchanged, but gets no events: `micro_batches` has the source
that it polls, and what it has in place of a tail. `executor` plans and applies the ranges of each micro-batch.
"""
