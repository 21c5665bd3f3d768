"""Headless output: one function a format."""
