"""One element of a tensor from its bytes, by dtype; without torch or numpy."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass

Element = int | float | bool | complex

Decode = Callable[[bytes, int], Element]


@dataclass(frozen=True)
class Format:
    """How elements of one dtype lie in memory."""

    size: int
    decode: Decode


def _of_struct(code: str) -> Format:
    layout = struct.Struct(f"<{code}")
    return Format(layout.size, lambda data, at: layout.unpack_from(data, at)[0])


def _complex(code: str) -> Format:
    layout = struct.Struct(f"<2{code}")
    return Format(layout.size, lambda data, at: complex(*layout.unpack_from(data, at)))


def _upper_half(code: str) -> Format:
    """Return the format of the upper half of a longer float."""
    layout = struct.Struct(f"<{code}")
    size = layout.size // 2
    return Format(size, lambda data, at: layout.unpack(bytes(size) + data[at : at + size])[0])


def _float8(exponents: int, fractions: int, bias: int, nan: Callable[[int], bool]) -> Format:
    """Return the format of a byte: a sign, bits of exponent and fraction, and no infinity."""

    def decode(data: bytes, at: int) -> float:
        byte = data[at]
        if nan(byte):
            return math.nan
        sign = -1.0 if byte & 0x80 else 1.0
        exponent = byte >> fractions & ((1 << exponents) - 1)
        fraction = byte & ((1 << fractions) - 1)
        if exponent:
            fraction += 1 << fractions
        return sign * math.ldexp(fraction, max(exponent, 1) - bias - fractions)

    return Format(1, decode)


FORMATS = {
    "float16": _of_struct("e"),
    "float32": _of_struct("f"),
    "float64": _of_struct("d"),
    "bfloat16": _upper_half("f"),
    "float8_e5m2": _upper_half("e"),
    "float8_e4m3fn": _float8(4, 3, 7, lambda byte: byte & 0x7F == 0x7F),
    "float8_e5m2fnuz": _float8(5, 2, 16, lambda byte: byte == 0x80),
    "float8_e4m3fnuz": _float8(4, 3, 8, lambda byte: byte == 0x80),
    # A power of two, as scales of other float8 tensors are.
    "float8_e8m0fnu": Format(
        1, lambda data, at: math.nan if data[at] == 0xFF else math.ldexp(1.0, data[at] - 127)
    ),
    "complex32": _complex("e"),
    "complex64": _complex("f"),
    "complex128": _complex("d"),
    "bool": _of_struct("?"),
    "int8": _of_struct("b"),
    "int16": _of_struct("h"),
    "int32": _of_struct("i"),
    "int64": _of_struct("q"),
    "uint8": _of_struct("B"),
    "uint16": _of_struct("H"),
    "uint32": _of_struct("I"),
    "uint64": _of_struct("Q"),
}


def size_of(dtype: str) -> int:
    """Return how many bytes an element takes; 1 where that is not known."""
    return FORMATS[dtype].size if dtype in FORMATS else 1
