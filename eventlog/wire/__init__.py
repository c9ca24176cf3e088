"""The bytes on the two topics of a job, read with tolerance and written as Samza writes them."""
