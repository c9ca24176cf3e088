"""Rewinds: plans to start a job from other offsets, with what they cost, and what undoes them."""
