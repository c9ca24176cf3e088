"""Consumer, producer and writer of a coordinator stream."""
