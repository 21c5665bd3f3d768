"""Commands, as they come through a socket with their descriptors."""

from __future__ import annotations

import socket

from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames


class Disconnected(BaseException):
    """Nobody is at the other end any more; no `except Exception` of an import may catch it."""


def receive(control: socket.socket) -> tuple[messages.Command, list[int]]:
    """Return the next command and what came with it, once it is there.

    Raises:
        Disconnected: nobody sends any more.
        FrameError: it is no command.
    """
    header, descriptors, _, _ = socket.recv_fds(control, 4, 3)
    if not header:
        raise Disconnected
    header += _exactly(control, 4 - len(header))
    frames: Frames[messages.Command] = Frames(messages.Command)
    frames.feed(header)
    (command,) = frames.feed(_exactly(control, int.from_bytes(header, "big")))
    if isinstance(command, messages.StartRun) and len(descriptors) not in (2, 3):
        raise FrameError(f"{len(descriptors)} descriptors came with it")
    return command, descriptors


def _exactly(control: socket.socket, count: int) -> bytes:
    parts = []
    while count:
        part = control.recv(min(count, 2**20))
        if not part:
            raise Disconnected
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
