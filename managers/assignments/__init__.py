"""Where tasks run, what they read, and where their state is."""
