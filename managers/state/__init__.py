"""Local state of tasks: stores, their backup in commits, and their restoration."""
