"""A job coordinator: what it computes and writes when it starts, and what it serves to containers."""
