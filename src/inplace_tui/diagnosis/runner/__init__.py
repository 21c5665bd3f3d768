"""Processes: keeps one worker warm, and ends every run in a bounded time."""
