"""Relations over JDBC, as of one moment: the readers of `coordstream.spark`."""
