"""The options that commands share, and parsers of their values."""
