"""A job's config on its coordinator stream: reading, writing, write-once settings and changes."""
