"""`coordstream follow`: read streams into the database as they grow."""
