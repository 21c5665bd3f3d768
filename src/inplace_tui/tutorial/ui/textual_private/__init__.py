"""All that touches underscored names of Textual, one file for each part of it.

A new Textual may move them without a word: `tests/house/test_textual_private.py` looks for
each of them, and for others that are used elsewhere.
"""
