"""`coordstream status`: how far each log has been read, and what is wrong with it."""
