"""A worker for one run: imports torch, says so, and becomes the process of the run."""

from __future__ import annotations

import gc
import importlib
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.leftover import LEFTOVER, OUTPUT, SCRATCH, TOKEN, Leftover
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames, encode
from inplace_tui.diagnosis.record.process import libraries
from inplace_tui.diagnosis.record.process.spawned import SentRequests, SpawnedRun
from inplace_tui.diagnosis.record.process.system import end, refused

IDLE = 1.0
"""Seconds without a command, after which it prepares what its run might wait for."""

UNUSABLE = 2


def serve_one(port: int, folder: Path) -> NoReturn:
    """Call at a port of this machine, and run what is asked for there; nothing is left running."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(sys.stdin.buffer.read(TOKEN))
    asked = SentRequests(connection, folder)
    connection.sendall(encode(messages.Loading(what="torch")))
    gc.disable()  # a third of the time: what is imported is never garbage
    try:
        from inplace_tui.diagnosis.record import child, compat  # noqa: PLC0415  # first the news

        compat.remove_stand_in()
        child.warm_up()
    except (ImportError, OSError, RuntimeError) as failure:
        connection.sendall(encode(refused(failure)))
        end(UNUSABLE)
    import torch  # noqa: PLC0415  # it is loaded

    _keep_all()
    why = f"{sys.platform}: no namespaces are used"
    ready = messages.Ready(torch=str(torch.__version__), no_namespace=why, no_view=why)
    connection.sendall(encode(ready))
    job = _job(asked)
    with (folder / LEFTOVER).open("r+b") as file:
        leftover = Leftover(file.fileno())
    process = SpawnedRun(connection, asked, folder / OUTPUT, leftover, folder / SCRATCH)
    child.run(job, process, leftover)


def _job(asked: SentRequests) -> messages.StartRun:
    """Wait for what is to be run; meanwhile, import what few programs need."""
    frames: Frames[messages.Command] = Frames(messages.Command)
    data = asked.read(waits=True, seconds=IDLE)
    if data is None:
        _complete()
    while True:
        try:
            for command in frames.feed(data or b""):
                assert isinstance(command, messages.StartRun)
                if libraries.needs_late_imports(command.program.source):
                    _complete()
                return command
        except FrameError:
            end(UNUSABLE)
        data = asked.read(waits=True)


def _complete() -> None:
    gc.disable()
    # If an import fails, torch tells the program that needs it.
    with suppress(ImportError, OSError):
        importlib.import_module("torch._dynamo")
    _keep_all()


def _keep_all() -> None:
    """Have collections, and who goes through all objects, leave out what is here now."""
    gc.freeze()
    gc.enable()
