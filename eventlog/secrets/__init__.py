"""Which texts are secrets, and how they are masked."""
