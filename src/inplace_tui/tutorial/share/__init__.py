"""A program of the sandbox made into something for others."""
