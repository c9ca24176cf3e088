"""A job's config on its coordinator stream."""
