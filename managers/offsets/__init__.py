"""Where tasks start, how far they come, and what is committed of it."""
