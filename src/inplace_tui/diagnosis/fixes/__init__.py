"""Changed programs that might do what the original meant: `judge` says so once they were run."""
