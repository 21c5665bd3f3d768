"""Everything that teaches and shows."""
