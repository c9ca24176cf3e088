"""Benchmarks, with a limit or goal for each figure. Run by `make bench`, not by the tests."""
