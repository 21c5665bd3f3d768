"""Length-prefixed MessagePack frames. Bytes in, messages out; no I/O here."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")

MAX_FRAME = 64 * 2**20
"""A child may claim any length; this is where believing it stops."""

NO_MESSAGE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises: of another form, with text that is not UTF-8, or nested without end."""

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
                Messages before it are returned first; the next call raises.
        """
        self._buffer += data
        messages: list[T] = []
        start = 0
        try:
            while (end := self._end_of_frame(start)) is not None:
                messages.append(self._decoder.decode(self._buffer[start + 4 : end]))
                start = end
        except (FrameError, *NO_MESSAGE) as error:
            # What came before the bad frame is history that a crash must not lose.
            if not messages:
                raise FrameError(str(error)) from error
        del self._buffer[:start]
        return messages

    def _end_of_frame(self, start: int) -> int | None:
        """Return where the frame at `start` ends, or None while it is incomplete."""
        if len(self._buffer) - start < 4:
            return None
        length = int.from_bytes(self._buffer[start : start + 4], "big")
        if length > MAX_FRAME:
            raise FrameError(f"a frame claims {length} bytes")
        end = start + 4 + length
        return end if end <= len(self._buffer) else None
