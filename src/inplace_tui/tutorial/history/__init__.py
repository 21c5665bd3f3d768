"""The runs of a session, kept, and what changed from one to another."""
