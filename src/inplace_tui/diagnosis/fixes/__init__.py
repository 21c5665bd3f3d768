"""Changed programs that might do what the original meant: proposed here, run elsewhere.

A rewrite reads the program, its blame and its timeline, and edits the text at
exact places. None of them knows whether it helps: `judge` says so when the
edited program was run.
"""
