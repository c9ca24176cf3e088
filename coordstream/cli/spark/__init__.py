"""`coordstream spark`: the data pipeline and reports on Spark."""
