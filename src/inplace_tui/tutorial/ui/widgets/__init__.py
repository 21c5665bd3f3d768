"""Widgets that know nothing of lessons."""
