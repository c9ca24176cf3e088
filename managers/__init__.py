"""The managers of a Samza job, over any event log."""
