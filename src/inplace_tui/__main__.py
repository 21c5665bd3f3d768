"""`python -m inplace_tui` is the command line."""

from inplace_tui.cli import main

main()
