"""What the worker uses of msgspec, in pure Python: for interpreters of which we have no build.

The same names, the same JSON, tested against msgspec itself. Constraints (`Meta`) and unknown
tags apart, nothing is validated: what is decoded here was encoded by this program.
"""

from __future__ import annotations

import types
import typing
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import Enum
from json import dumps, loads
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


class _Encoder:
    def encode(self, message: object) -> bytes:
        text = dumps(message, default=_plain, ensure_ascii=False, separators=(",", ":"))
        return text.encode()


def _plain(value: Any) -> object:
    """Return what JSON has for a value: bytes in base64, as msgspec has it."""
    if _is_struct(type(value)):
        tag = value.__struct_tag__
        named = {} if tag is None else {"type": tag}
        return named | {field: getattr(value, field) for field in value.__struct_fields__}
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode()
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"Encoding objects of type {type(value).__name__} is unsupported")


class _Decoder:
    def __init__(self, kind: Any) -> None:
        self._convert = _converter(kind)

    def decode(self, body: bytes) -> Any:
        try:
            found = loads(body)
        except ValueError as error:
            raise DecodeError(str(error)) from error
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
    if kind is bytes:
        return lambda value: b64decode(value) if isinstance(value, str) else _checked(value, bytes)
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
}

structs = types.SimpleNamespace(replace=replace)
json = types.SimpleNamespace(Encoder=_Encoder, Decoder=_Decoder)
