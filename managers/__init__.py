"""What a job says and asks: the managers of a Samza job, over any event log."""
