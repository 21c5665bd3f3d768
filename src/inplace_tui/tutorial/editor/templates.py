"""Small whole programs to start from."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from inplace_tui.common.decodable import decodable
from inplace_tui.common.run.ending import Ending


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One program; what it is called stands in `common/texts/templates.py`."""

    id: str
    source: str
    ends: Ending = Ending.RIGHT
    match: str = ""
    """Part of torch's message, where it raises."""


@cache
def templates() -> tuple[Template, ...]:
    """Return all of them, in the order in which they are offered; the empty one is the last."""
    text = files(__package__).joinpath("templates.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=decodable(tuple[Template, ...]))
