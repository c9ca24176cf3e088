"""The pages of `coordstream serve`: rendered by the server, without scripts."""
