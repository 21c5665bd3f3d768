"""Length-prefixed MessagePack frames. Bytes in, messages out; no I/O here."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")

MAX_FRAME = 64 * 2**20
"""A child may claim any length; this is where believing it stops."""

_encoder = msgspec.msgpack.Encoder()


class FrameError(Exception):
    """What came through the pipe is not what this program writes."""


def encode(message: msgspec.Struct) -> bytes:
    """Return one frame: 4 bytes of length, big-endian, then the message."""
    body = _encoder.encode(message)
    return len(body).to_bytes(4, "big") + body


class Frames(Generic[T]):
    """Cuts a stream into messages of one union.

    >>> from inplace_tui.protocol.messages import Report, ProgramStarted
    >>> frames = Frames(Report)
    >>> frames.feed(encode(ProgramStarted()))
    [ProgramStarted()]
    """

    def __init__(self, union: object) -> None:
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(union)
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[T]:
        """Return the messages that `data` completes.

        Raises:
            FrameError: a length beyond `MAX_FRAME`, or a body that is not a message.
        """
        self._buffer += data
        messages: list[T] = []
        start = 0
        while len(self._buffer) - start >= 4:
            length = int.from_bytes(self._buffer[start : start + 4], "big")
            if length > MAX_FRAME:
                raise FrameError(f"a frame claims {length} bytes")
            end = start + 4 + length
            if len(self._buffer) < end:
                break
            try:
                messages.append(self._decoder.decode(bytes(self._buffer[start + 4 : end])))
            except msgspec.DecodeError as error:
                raise FrameError(str(error)) from error
            start = end
        del self._buffer[:start]
        return messages
