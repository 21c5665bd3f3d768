"""A process that has imported torch, and forks a real worker for everybody who asks.

A hundred workers that die would otherwise import it a hundred times. Nothing else
differs: what is forked here is what `python -m inplace_tui.diagnosis.record` begins with.

    python spring.py SOCKET
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress

from inplace_tui.diagnosis.record import __main__ as worker
from inplace_tui.diagnosis.record import child


def main() -> None:
    """Serve until somebody kills us."""
    assert "torch" in sys.modules, f"{child.__name__} imports it"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries them
    while True:
        asking, _ = listener.accept()
        _, (control,), _, _ = socket.recv_fds(asking, 1, 1)
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            asking.close()
            sys.argv[1:] = [str(control)]
            os._exit(worker.main())
        with suppress(OSError):  # who asked may be dead by now
            asking.send(str(pid).encode())
        asking.close()
        os.close(control)


if __name__ == "__main__":
    main()
