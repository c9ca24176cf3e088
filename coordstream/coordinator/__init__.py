"""The process of a job coordinator: one per job, with an HTTP server and monitors."""
