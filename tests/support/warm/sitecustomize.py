"""Python starts with this where `support.warm_torch` has it: a worker lets the host be it.

What began as the worker stays as a go-between: it hands over its socket and standard error,
passes SIGTERM on, and ends as the worker did.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from types import FrameType

if sys.orig_argv[1:4] == ["-P", "-m", "inplace_tui.diagnosis.record"]:
    import json

    control = int(sys.orig_argv[4])
    with socket.socket(socket.AF_UNIX) as host:
        host.connect(os.environ.pop("WARM_TORCH"))
        del os.environ["PYTHONPATH"]
        said = json.dumps({"folder": os.getcwd(), "environment": dict(os.environ)})
        socket.send_fds(host, [said.encode()], [control, 2])
        os.close(control)
        worker = int(host.recv(20))

        def _pass_on(number: int, _: FrameType | None) -> None:
            os.kill(worker, number)

        signal.signal(signal.SIGTERM, _pass_on)
        code = int(host.recv(20) or b"1")
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
