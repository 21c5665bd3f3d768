"""What a run leaves behind however it ends, in memory that it shares with whoever buries it."""

from __future__ import annotations

import mmap

TEXT = 65_536
"""Bytes of text that are known of a line which is killed."""

OUTPUT, LEFTOVER, SCRATCH = "output", "leftover", "scratch"
"""In the folder of a process that was spawned for one run: what it wrote to 1 and 2, a file of
`SIZE` bytes for this memory, and the folder that a lesson's program begins in."""

TOKEN = 32
"""Bytes that it is given, and says first when it calls: all users of a machine can."""

_HEAD = 12
SIZE = _HEAD + TEXT


class Leftover:
    """What the running line wrote, and how far what went past Python was reported."""

    def __init__(self, file: int = -1) -> None:
        """Share memory with what is forked from here, or with whoever maps the same file."""
        self._memory = mmap.mmap(file, SIZE)
        self._size = 0

    def add(self, text: str) -> None:
        """Note more of what the line wrote."""
        data = text.encode(errors="replace")[: TEXT - self._size]
        start = _HEAD + self._size
        self._memory[start : start + len(data)] = data
        self._set_size(self._size + len(data))

    def clear(self) -> None:
        """Forget it: the line is reported."""
        if self._size:
            self._set_size(0)

    def read(self) -> str:
        """Return it, cut to what fits; the program may have put anything there."""
        size = min(int.from_bytes(self._memory[:4], "little"), TEXT)
        text = self._memory[_HEAD : _HEAD + size].decode(errors="replace")
        return f"{text}…" if size == TEXT else text

    @property
    def reported(self) -> int:
        """How many bytes of the file that 1 and 2 are were reported."""
        return int.from_bytes(self._memory[4:_HEAD], "little")

    @reported.setter
    def reported(self, place: int) -> None:
        self._memory[4:_HEAD] = place.to_bytes(8, "little")

    def close(self) -> None:
        """Let go of it: some systems remove no file that is mapped."""
        self._memory.close()

    def _set_size(self, size: int) -> None:
        self._size = size
        self._memory[:4] = size.to_bytes(4, "little")
