"""The lessons and challenges of a folder together, and what they teach."""
