"""The process of a run: what holds it, what it prints, how it ends and reports."""
