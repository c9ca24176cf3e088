"""`coordstream import` and `coordstream export`: recordings into the database, and streams out of it."""
