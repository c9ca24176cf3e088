"""The front door: command line, settings and embedded Postgres of coordstream."""
