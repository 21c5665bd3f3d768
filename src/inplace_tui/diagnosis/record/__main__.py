"""A worker: `python -m inplace_tui.diagnosis.record`, and where it is heard."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Serve a descriptor, which is the only argument; or one run, at a port and in a folder.

    Each of the two needs what the other has no use for, and not every system has.
    """
    if len(sys.argv) == 2:
        from inplace_tui.diagnosis.record.fork_server import serve  # noqa: PLC0415

        serve(int(sys.argv[1]))
    from inplace_tui.diagnosis.record.one_run import serve_one  # noqa: PLC0415

    serve_one(int(sys.argv[1]), Path(sys.argv[2]))


if __name__ == "__main__":
    main()
