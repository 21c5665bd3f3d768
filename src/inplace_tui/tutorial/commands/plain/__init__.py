"""Lessons, challenges and the sandbox without a screen: lines out, lines in."""
