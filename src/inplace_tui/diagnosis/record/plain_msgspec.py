"""What the worker uses of msgspec, in pure Python: for interpreters of which we have no build.

The same names, the same bytes, tested against msgspec itself. Constraints (`Meta`) and unknown
tags apart, nothing is validated: what is decoded here was encoded by this program.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import Enum
from struct import Struct as Packed
from typing import Any, TypeGuard

_Converter = Callable[[Any], Any]


class DecodeError(ValueError):
    """The bytes are no message."""


class Meta:
    """Constraints of a type, which only the other end checks."""

    def __init__(self, **constraints: object) -> None: ...


class Struct:
    """A class with fields; options after its bases mean what msgspec's do."""

    __struct_fields__: tuple[str, ...]
    __struct_tag__: str | None

    def __init_subclass__(
        cls,
        *,
        frozen: bool = False,
        kw_only: bool = False,
        tag: str | None = None,
        gc: bool = True,  # every object of Python's own has it
        eq: bool = True,
    ) -> None:
        dataclass(frozen=frozen, kw_only=kw_only, eq=eq)(cls)
        cls.__struct_fields__ = tuple(each.name for each in fields(cls))  # type: ignore[arg-type]
        cls.__struct_tag__ = tag


def _is_struct(kind: Any) -> TypeGuard[type[Struct]]:
    return isinstance(kind, type) and issubclass(kind, Struct)


# Encoding, as the specification of MessagePack has it and msgspec chooses.

_SIZES = tuple((bits, Packed(f">B{form}")) for bits, form in ((8, "B"), (16, "H"), (32, "I")))
_BIG, _NEGATIVE, _FLOAT = Packed(">BQ"), Packed(">Bq"), Packed(">Bd")


def _head(first: int, count: int, *, least: int = 0) -> bytes:
    """Return the header for so many things; `first` is its type byte for 8 bits."""
    for place, (bits, form) in enumerate(_SIZES[least:]):
        if count < 1 << bits:
            return form.pack(first + place, count)
    raise OverflowError("too long")


def _text(value: str) -> bytes:
    body = value.encode()
    size = len(body)
    return (bytes((0xA0 | size,)) if size < 32 else _head(0xD9, size)) + body


def _int(value: int) -> bytes:
    if -32 <= value < 128:
        return bytes((value & 0xFF,))
    if not -(1 << 63) <= value < 1 << 64:
        raise OverflowError("can't serialize integers that don't fit in 64 bits")
    if value > 0:
        return _head(0xCC, value) if value < 1 << 32 else _BIG.pack(0xCF, value)
    for place, bits in enumerate((8, 16, 32)):
        if value >= -(1 << (bits - 1)):
            return bytes((0xD0 + place,)) + value.to_bytes(bits // 8, "big", signed=True)
    return _NEGATIVE.pack(0xD3, value)


def _sized(short: int, first: int, count: int) -> bytes:
    return bytes((short | count,)) if count < 16 else _head(first, count, least=1)


_Writer = Callable[[Any, bytearray], None]


def _of_struct(kind: type[Struct]) -> _Writer:
    fields, tag = kind.__struct_fields__, kind.__struct_tag__
    head = _sized(0x80, 0xDE, len(fields) + (tag is not None))
    if tag is not None:
        head += _text("type") + _text(tag)
    keys = tuple((_text(field), field) for field in fields)

    def write(value: Any, to: bytearray) -> None:
        to += head
        for key, field in keys:
            to += key
            each = getattr(value, field)
            _WRITERS[type(each)](each, to)

    return write


def _write_bytes(value: bytes, to: bytearray) -> None:
    to += _head(0xC4, len(value)) + value


def _write_array(value: tuple[object, ...], to: bytearray) -> None:
    to += _sized(0x90, 0xDC, len(value))
    for each in value:
        _WRITERS[type(each)](each, to)


def _write_map(value: dict[object, object], to: bytearray) -> None:
    to += _sized(0x80, 0xDE, len(value))
    for pair in value.items():
        for each in pair:
            _WRITERS[type(each)](each, to)


def _appending(form: Callable[[Any], bytes]) -> _Writer:
    def write(value: Any, to: bytearray) -> None:
        to += form(value)

    return write


class _Writers(dict[type, _Writer]):
    """What writes values of a type; of structs and enumerations it is found out once."""

    def __missing__(self, kind: type) -> _Writer:
        if _is_struct(kind):
            self[kind] = _of_struct(kind)
        elif issubclass(kind, Enum):
            self[kind] = lambda value, to: self[type(value.value)](value.value, to)
        else:
            base = next((base for base in kind.__mro__ if base in self), None)
            if base is None:
                raise TypeError(f"Encoding objects of type {kind.__name__} is unsupported")
            self[kind] = self[base]
        return self[kind]


_WRITERS = _Writers(
    {
        type(None): _appending(lambda _: b"\xc0"),
        bool: _appending(lambda value: b"\xc3" if value else b"\xc2"),
        int: _appending(_int),
        float: _appending(lambda value: _FLOAT.pack(0xCB, value)),
        str: _appending(_text),
        bytes: _write_bytes,
        bytearray: _write_bytes,
        memoryview: _write_bytes,
        tuple: _write_array,
        list: _write_array,
        dict: _write_map,
    }
)


class _Encoder:
    def encode(self, message: object) -> bytes:
        found = bytearray()
        _WRITERS[type(message)](message, found)
        return bytes(found)


# Decoding.

_NUMBERS = {
    first: Packed(f">{form}") for first, form in zip(range(0xCA, 0xD4), "fdBHIQbhiq", strict=True)
}


class _Reader:
    """Reads one value after the other."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    def read(self) -> Any:
        first = self._take(1)[0]
        if first < 0x80 or first >= 0xE0:
            return first if first < 0x80 else first - 256
        if first < 0xC0:
            if first >= 0xA0:
                return self._take(first - 0xA0).decode()
            return self._map(first - 0x80) if first < 0x90 else self._array(first - 0x90)
        if first in _NUMBERS:
            form = _NUMBERS[first]
            return form.unpack(self._take(form.size))[0]
        if first in (0xC0, 0xC2, 0xC3):
            return None if first == 0xC0 else first == 0xC3
        for start, least, read in (
            (0xC4, 1, self._take),
            (0xD9, 1, lambda size: self._take(size).decode()),
            (0xDC, 2, self._array),
            (0xDE, 2, self._map),
        ):
            if start <= first < start + (3 if least == 1 else 2):
                size = least << (first - start)
                return read(int.from_bytes(self._take(size), "big"))
        raise DecodeError(f"byte {first:#x}")

    def end(self) -> None:
        if self._at != len(self._body):
            raise DecodeError("trailing bytes")

    def _take(self, size: int) -> bytes:
        start, self._at = self._at, self._at + size
        if self._at > len(self._body):
            raise DecodeError("the message is cut short")
        return bytes(self._body[start : self._at])

    def _array(self, size: int) -> list[Any]:
        return [self.read() for _ in range(size)]

    def _map(self, size: int) -> dict[Any, Any]:
        return {self.read(): self.read() for _ in range(size)}


class _Decoder:
    def __init__(self, kind: Any) -> None:
        self._convert = _converter(kind)

    def decode(self, body: bytes) -> Any:
        reader = _Reader(body)
        found = reader.read()
        reader.end()
        return self._convert(found)


def convert(value: object, type: Any, *, builtin_types: tuple[type, ...]) -> Any:  # noqa: A002
    """Return a value of some type, of dicts, lists and plain values."""
    assert builtin_types == (bytes,)
    return _converter(type)(value)


def _converter(kind: Any) -> _Converter:
    """Return what makes a value of some type of a plain one."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in _GENERIC:
        return _GENERIC[origin](inside)
    if _is_struct(kind):
        return _struct(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if kind is float:
        return lambda value: float(_checked(value, float, int))
    expected = type(None) if kind is None else kind
    return lambda value: _checked(value, expected)


def _checked(value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds if tuple not in kinds else (tuple, list)):
        raise DecodeError(f"expected {kinds[0].__name__}, got {type(value).__name__}")
    return value


def _tuple(inside: tuple[Any, ...]) -> _Converter:
    if len(inside) == 2 and inside[1] is Ellipsis:
        each = _converter(inside[0])
        return lambda value: tuple([each(item) for item in _checked(value, tuple)])
    all_of = [_converter(part) for part in inside]
    return lambda value: tuple(
        [part(item) for part, item in zip(all_of, _checked(value, tuple), strict=True)]
    )


def _list(inside: tuple[Any, ...]) -> _Converter:
    each = _converter(inside[0])
    return lambda value: [each(item) for item in _checked(value, list)]


def _dict(inside: tuple[Any, ...]) -> _Converter:
    key, item = map(_converter, inside)
    return lambda value: {key(k): item(v) for k, v in _checked(value, dict).items()}


def _struct(kind: type[Struct]) -> _Converter:
    hints: dict[str, _Converter] = {}

    def made(value: Any) -> Any:
        if not hints:  # a struct may be part of itself
            found = typing.get_type_hints(kind, include_extras=True)
            hints.update({field: _converter(found[field]) for field in kind.__struct_fields__})
        given = _checked(value, dict)
        try:
            return kind(**{f: hints[f](each) for f, each in given.items() if f in hints})
        except TypeError as error:
            raise DecodeError(str(error)) from error

    return made


def _union(inside: tuple[Any, ...]) -> _Converter:
    structs = {part.__struct_tag__: part for part in inside if _is_struct(part)}
    by_tag = {tag: _converter(part) for tag, part in structs.items()}
    others = [_converter(part) for part in inside if not _is_struct(part)]

    def made(value: Any) -> Any:
        if isinstance(value, dict) and by_tag:
            found = by_tag.get(value.get("type")) or by_tag.get(None)
            if found is None:
                raise DecodeError(f"no message is called {value.get('type')!r}")
            return found(value)
        for other in others:
            try:
                return other(value)
            except ValueError:  # that was not the one
                continue
        raise DecodeError(f"a {type(value).__name__} is none of {inside}")

    return made


_GENERIC: dict[Any, Callable[[tuple[Any, ...]], _Converter]] = {
    typing.Annotated: lambda inside: _converter(inside[0]),
    typing.Union: _union,
    types.UnionType: _union,
    tuple: _tuple,
    list: _list,
    dict: _dict,
}

structs = types.SimpleNamespace(replace=replace)
msgpack = types.SimpleNamespace(Encoder=_Encoder, Decoder=_Decoder)
