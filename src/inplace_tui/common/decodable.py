"""What msgspec is given: types that two threads decode into at once, text that it can encode."""

from __future__ import annotations

import threading
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")

FromZero: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
FromOne: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
"""Numbers that no version of the program writes are refused where they are read."""

_ALONE = threading.Lock()


def encodable(value: T) -> T:
    r"""Return a struct, or plain data, with lone surrogates spelt out: no encoding has them.

    >>> encodable(["caf\udce9"])
    ['caf\\udce9']
    """
    given: Any = value
    match given:
        case str():
            given = given.encode(errors="backslashreplace").decode()
        case msgspec.Struct():
            fields = {name: encodable(getattr(given, name)) for name in given.__struct_fields__}
            given = type(given)(**fields)
        case dict():
            given = {encodable(name): encodable(each) for name, each in given.items()}
        case list() | tuple():
            given = type(given)(map(encodable, given))
        case _:
            pass
    return given  # type: ignore[no-any-return]


def decodable(kind: T) -> T:
    """Return a type, once msgspec knows all of it.

    What msgspec (0.22) learns of a class it keeps with the class from the moment when it begins:
    a second thread that decodes into it meanwhile finds holes, and the process dies (SIGSEGV).
    """
    with _ALONE:
        msgspec.json.Decoder(kind)
    return kind
