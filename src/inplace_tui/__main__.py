"""`inplace-tui` and `python -m inplace_tui`: the command line."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Ctrl-C before there is anything to end in order ends us without a trace of an import.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from inplace_tui.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
