"""`coordstream job`, and which job a command is about."""
