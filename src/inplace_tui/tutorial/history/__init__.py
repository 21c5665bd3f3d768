"""The runs of a session, kept."""
