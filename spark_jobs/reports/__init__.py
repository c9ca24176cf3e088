"""The reports: each reads in one snapshot, transforms, writes Parquet files and a picture, and prints."""
