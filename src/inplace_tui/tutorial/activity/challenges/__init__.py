"""Challenges: their files, what an edit did, and whether it reaches the goal."""
