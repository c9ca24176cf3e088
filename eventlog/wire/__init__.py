"""The bytes on the two streams of a job: reads what any version of Samza writes, and writes as Samza 1.8.0 does."""
