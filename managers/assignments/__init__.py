"""Assignments of a job: containers, hosts, partitions of tasks, and changelogs."""
