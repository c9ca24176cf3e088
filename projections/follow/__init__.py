"""Follows logs as they grow: attaches to a source, catches up, stays with it, and survives what machines do."""
