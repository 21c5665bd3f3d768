"""The stand-in for msgspec writes what msgspec reads, and reads what it writes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
import typing
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inplace_tui.diagnosis.record
from inplace_tui.diagnosis.protocol import messages
from support.whole import examples

STAND_IN = Path(inplace_tui.diagnosis.record.__file__).parent / "plain_msgspec.py"
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**63), 2**64 - 1) | st.integers(-200, 300),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    str: st.text(max_size=40) | st.integers(30, 70_000).map("x".__mul__),
    bytes: st.binary(max_size=300) | st.integers(250, 70_000).map(bytes),
    type(None): st.none(),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Return values of a type that occurs in a message."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if kind in PLAIN:
        found = PLAIN[kind]
    elif origin is typing.Annotated:
        (meta,) = kind.__metadata__
        text = st.text(max_size=meta.max_length)
        found = text if inside[0] is str else st.integers(meta.ge, 2**31)
    elif origin in (typing.Union, types.UnionType):
        found = st.one_of([values(part) for part in inside])
    elif origin is tuple and inside[-1] is Ellipsis:
        found = st.lists(values(inside[0]), max_size=4).map(tuple)
    elif origin is tuple:
        found = st.tuples(*map(values, inside))
    elif issubclass(kind, Enum):
        found = st.sampled_from(kind)
    else:
        found = built(kind)
    return found


def built(kind: type[msgspec.Struct]) -> st.SearchStrategy[msgspec.Struct]:
    hints = typing.get_type_hints(kind, include_extras=True)
    given = st.fixed_dictionaries({f: values(hints[f]) for f in kind.__struct_fields__})
    return given.map(lambda fields: kind(**fields))


SENT = messages.Report | messages.Command | messages.Answer | messages.Request | messages.Reply
DECODER = msgspec.json.Decoder(SENT)


@pytest.fixture(scope="module")
def plain() -> Iterator[tuple[Any, Any, Any]]:
    """The protocol, imported a second time where msgspec is the stand-in; and both of them."""

    def ours(name: str) -> bool:
        return name.partition(".")[0] in ("inplace_tui", "msgspec")

    kept = {name: module for name, module in sys.modules.items() if ours(name)}
    for name in kept:
        del sys.modules[name]
    spec = importlib.util.spec_from_file_location("msgspec", STAND_IN)
    assert spec is not None
    assert spec.loader is not None
    stand_in = sys.modules["msgspec"] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(stand_in)
        again = importlib.import_module("inplace_tui.diagnosis.protocol.messages")
        union = again.Report | again.Command | again.Answer | again.Request | again.Reply
        yield union, stand_in, again
    finally:
        for name in [name for name in sys.modules if ours(name)]:
            del sys.modules[name]
        sys.modules.update(kept)


@given(message=values(SENT))
@settings(deadline=None, max_examples=examples(300))
def test_a_message_is_read_and_written_as_msgspec_does(
    plain: tuple[Any, Any, Any], message: msgspec.Struct
) -> None:
    union, stand_in, again = plain
    sent = messages.encode(message)[4:]

    read = stand_in.json.Decoder(union).decode(sent)
    as_builtins = msgspec.to_builtins(message, builtin_types=(bytes,))

    assert repr(read) == repr(message)
    assert DECODER.decode(again.encode(read)[4:]) == message
    assert stand_in.convert(as_builtins, union, builtin_types=(bytes,)) == read


def of_struct(of: Any) -> list[object]:
    """Return what a module called msgspec makes of a struct, and of what it can't encode."""
    point = type(of.Struct)(
        "Point",
        (of.Struct,),
        {"__annotations__": {"x": "int", "y": "int"}, "y": 2, "__module__": __name__},
        frozen=True,
    )
    one = point(1)
    seen: list[object] = [one == point(1, 2), one == (1, 2), hash(one) == hash(point(1))]
    seen += [repr(of.structs.replace(one, x=3)), point.__match_args__]
    tries: list[Callable[[], object]] = [
        lambda: setattr(one, "x", 2),
        point,
        lambda: point(1, 2, 3),
        *(partial(of.json.Encoder().encode, odd) for odd in ("\ud800", object())),
    ]
    for wrong in tries:
        with pytest.raises((AttributeError, TypeError, OverflowError, UnicodeError)) as raised:
            wrong()
        seen.append(next(each for each in raised.type.__mro__ if each.__module__ == "builtins"))
    return seen


def test_a_struct_behaves_as_one_of_msgspec(plain: tuple[Any, Any, Any]) -> None:
    _, stand_in, _ = plain

    assert of_struct(stand_in) == of_struct(msgspec)


@pytest.mark.parametrize("cut", [b"", b"\xc1", b"[1", b'["a"]', b"[1]1"])
def test_what_is_no_message_is_refused(plain: tuple[Any, Any, Any], cut: bytes) -> None:
    _, stand_in, _ = plain

    for of in (msgspec, stand_in):
        with pytest.raises(of.DecodeError):
            of.json.Decoder(tuple[int, ...]).decode(cut)
