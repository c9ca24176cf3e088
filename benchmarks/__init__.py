"""Figures, each beside the limit it is held against. Run by hand (`make bench`), not by the tests."""
