"""Lesson files: text in, lessons out; and whether what they claim is true."""
