"""Spark sessions, and what starting one needs: Java, and the jar of the JDBC driver."""
