"""Torch's side: runs a learner's program and reports what happened, without changing it."""
