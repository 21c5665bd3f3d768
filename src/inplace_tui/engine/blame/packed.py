"""The backwards of a long run, in as little memory as their bytes take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import msgspec

from inplace_tui.model.program import Backward

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Backward)


class Packed(Sequence[Backward]):
    """Backwards, each made anew when it is asked for."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []

    def append(self, backward: Backward) -> None:
        """Add the next one."""
        self._packed.append(_ENCODER.encode(backward))

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, index: int) -> Backward: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Backward]: ...
    def __getitem__(self, index: int | slice) -> Backward | Sequence[Backward]:
        if isinstance(index, slice):
            return [_DECODER.decode(each) for each in self._packed[index]]
        return _DECODER.decode(self._packed[index])
