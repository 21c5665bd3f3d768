"""What each call of torch keeps, counts and shares, found out by running torch.

A tool of the repository: it imports torch and the standard library alone, so that any Python with
any torch from 2.2 on can run it. README.md says what the data holds.
"""
