"""Jobs that Python programs run: what they write about themselves on their two logs."""
