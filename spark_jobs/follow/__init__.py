"""Follows Kafka with Structured Streaming: the driver holds and attaches the streams, executors apply their events.

The follower of `projections.follow` runs in the driver unchanged, but gets no events: `micro_batches` has the source
that it polls, and what it has in place of a tail. `range_source` plans the next ranges of the logs in each micro-batch,
and `executor` applies them.
"""
