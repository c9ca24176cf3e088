"""Follows Kafka with Structured Streaming: the driver holds and attaches the streams, executors apply their events.

The follower of `projections.follow` runs in the driver unchanged, but gets no events: `micro_batches` is the source
that it polls, and `micro_batch_tail` what it has in place of a tail. `assignment` says which logs are read from where;
`range_source` plans their next ranges in each micro-batch, and `executor` applies them.
"""
