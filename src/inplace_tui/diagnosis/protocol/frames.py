"""Length-prefixed MessagePack frames. Bytes in, messages out; no I/O here."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from inplace_tui.common.decodable import decodable

T = TypeVar("T")

MAX_FRAME = 64 * 2**20
"""The longest frame that is accepted: a child may claim any length."""

SMALL = 2**22
"""Bytes of a message that are decoded without a look: whatever is in it takes little."""

MAX_PARTS = 2**22
"""Values and names in a larger one: three bytes may be a text that takes 72 in memory.
A step that makes a hundred thousand nodes has half as many."""

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

    >>> from inplace_tui.diagnosis.protocol.messages import Report, ProgramStarted
    >>> frames = Frames(Report)
    >>> frames.feed(encode(ProgramStarted()))
    [ProgramStarted(line=None)]
    """

    def __init__(self, union: object) -> None:
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(decodable(union))
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
                body = self._buffer[start + 4 : end]
                if len(body) > SMALL and too_many_parts(body):
                    raise FrameError(f"a frame of {len(body)} bytes has too many parts")
                messages.append(self._decoder.decode(body))
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


def _sizes() -> tuple[tuple[int, int], ...]:
    """Return by the first byte of a value: its bytes, and of them those that announce more.

    As the specification of MessagePack has them.
    """
    sizes = [(1, 0)] * 256
    for short in range(0xA0, 0xC0):
        sizes[short] = (1 + short - 0xA0, 0)
    for first, extra in ((0xC4, 0), (0xC7, 1), (0xD9, 0)):  # bytes, extensions, text
        for power in range(3):
            sizes[first + power] = (1 + 2**power + extra, 2**power)
    for first, nbytes in ((0xCA, 4), (0xCB, 8), (0xDC, 2), (0xDD, 4), (0xDE, 2), (0xDF, 4)):
        sizes[first] = (1 + nbytes, 0)
    for power in range(4):
        sizes[0xCC + power] = sizes[0xD0 + power] = (1 + 2**power, 0)
    for power in range(5):
        sizes[0xD4 + power] = (2 + 2**power, 0)
    return tuple(sizes)


_SIZES = _sizes()


def too_many_parts(body: bytes | bytearray, most: int = MAX_PARTS) -> bool:
    r"""Whether a message says more things than `most`, however few bytes each of them is.

    >>> too_many_parts(b"\x93\x01\xa2ab\xc4\x03abc", 4), too_many_parts(b"\x93\x01\x01\x01", 3)
    (False, True)
    """
    at = count = 0
    while at < len(body):
        count += 1
        if count > most:
            return True
        size, length = _SIZES[body[at]]
        at += size + (int.from_bytes(body[at + 1 : at + 1 + length], "big") if length else 0)
    return False
