"""A process that has imported torch, from which the workers of many commands are forked.

Each start of the command imports torch in a worker of its own, for a second of a core. Where
torch is warm the command is started as ever, and so is its worker's interpreter; but that
one asks the host for a fork (`warm/sitecustomize.py`).
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

ASKING = Path(__file__).parent / "warm"


@contextlib.contextmanager
def warm(folder: Path) -> Iterator[dict[str, str]]:
    """Start a host; yield the environment in which it is found."""
    path = folder / "torch"
    handed_on = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    places = (str(ASKING), *filter(None, [handed_on.get("PYTHONPATH")]))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        host = subprocess.Popen(
            [sys.executable, "-P", __file__, str(listening.fileno())],
            pass_fds=[listening.fileno()],
            env={**handed_on, "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
        )
    try:
        yield {"PYTHONPATH": os.pathsep.join(places), "WARM_TORCH": str(path)}
    finally:
        host.kill()
        host.wait()


def serve(listening: socket.socket) -> NoReturn:
    """Be the host: fork a worker for whoever asks; each of the two ends with the other."""
    import gc  # noqa: PLC0415

    from inplace_tui.diagnosis.record import child  # noqa: PLC0415  # imports torch
    from inplace_tui.diagnosis.record.process import linux  # noqa: PLC0415

    child.warm_up()
    importlib.import_module("torch._dynamo")  # what a worker would in a quiet moment
    gc.collect()
    gc.freeze()
    linux.take_large_pages()
    askers: dict[int, tuple[socket.socket, int]] = {}
    """Who asked, and the worker's process, by the asker's descriptor."""

    ends: dict[int, int] = {}
    """The asker's descriptor, by one that tells of its worker's end."""

    poll = select.poll()
    poll.register(listening, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == listening.fileno():
                asker, _ = listening.accept()
                pid = _fork(asker)
                with contextlib.suppress(OSError):  # it left meanwhile
                    asker.send(str(pid).encode())
                askers[asker.fileno()] = asker, pid
                end = os.pidfd_open(pid)
                ends[end] = asker.fileno()
                poll.register(end, select.POLLIN)
                poll.register(asker, select.POLLHUP)
            elif descriptor in askers:
                poll.unregister(descriptor)
                os.kill(askers[descriptor][1], signal.SIGKILL)
            else:
                poll.unregister(descriptor)
                os.close(descriptor)
                asker, pid = askers.pop(ends.pop(descriptor))
                with contextlib.suppress(KeyError):  # it went first
                    poll.unregister(asker)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with asker, contextlib.suppress(OSError):
                    asker.send(str(code).encode())


def _fork(asking: socket.socket) -> int:
    """Fork a worker that is what the one that asks would have become."""
    said, descriptors, _, _ = socket.recv_fds(asking, 2**16, 2)
    pid = os.fork()
    if pid:
        for each in descriptors:
            os.close(each)
        return pid
    os.setsid()
    control, errors = descriptors
    os.dup2(errors, 2)
    os.closerange(3, control)
    os.closerange(control + 1, 1_000)
    asked = json.loads(said)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv[1:] = [str(control)]
    from inplace_tui.diagnosis.record.__main__ import main  # noqa: PLC0415

    main()
    raise AssertionError("it has left")


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
