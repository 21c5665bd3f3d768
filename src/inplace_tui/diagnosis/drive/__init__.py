"""Performs what blame, fixes and explain decide: runs, replays, trials; reads and writes files."""
