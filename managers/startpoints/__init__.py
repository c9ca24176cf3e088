"""Requests to start elsewhere: written, handed out, planned and warned of."""
