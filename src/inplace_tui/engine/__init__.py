"""The rules. No I/O, no clock, no torch, no screen."""
