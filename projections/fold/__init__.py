"""The fold: a batch of events becomes changes of the tables. Pure: no clock, no database, no file."""
