"""`coordstream lag`: how far the tasks of jobs are behind their inputs."""
