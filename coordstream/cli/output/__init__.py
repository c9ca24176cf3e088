"""Tables, JSON and CSV on standard output."""
