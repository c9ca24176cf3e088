"""Follows logs as they grow: attaches streams, catches up, reads them live, and survives outages."""
