"""What is true now and what was: the fold of event logs into SQL relations."""
