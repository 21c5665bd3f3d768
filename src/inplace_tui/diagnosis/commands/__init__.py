"""The command line of the diagnosis."""
