"""The relations as JSON: ``/api`` and ``/api/<relation>``."""
