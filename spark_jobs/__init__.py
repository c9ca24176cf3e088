"""Spark jobs over the relations, and what they need: sessions, JDBC reads of one snapshot, output folders."""
