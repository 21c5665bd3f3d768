"""How long anything is waited for that will surely come, unless something is wrong."""

PATIENCE = 60.0
"""Seconds: no machine is so busy, and who does not fail waits for none of them."""
