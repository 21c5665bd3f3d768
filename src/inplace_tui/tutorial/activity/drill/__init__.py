"""The drill: random small programs, a learner's level, and what comes back when. Pure."""
