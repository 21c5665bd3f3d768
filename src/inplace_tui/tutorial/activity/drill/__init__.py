"""The drill: random small programs, a learner's level, and what comes back when.

Pure: nothing is run here. What a program really does is for torch to say.
"""
