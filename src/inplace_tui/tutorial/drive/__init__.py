"""Performs what the engine decides, through the runner and the file system."""
