"""Programs that fail, and what must come of their fixes."""

from __future__ import annotations

from pathlib import Path

import msgspec

from support.tables import read_table


class Fixable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program, the kinds of fixes it must get, and what every fixed program prints."""

    name: str
    source: str
    print: str
    """An expression, looked at after the program."""

    gives: object
    """Its value, worked out by hand."""

    fixes: tuple[str, ...]
    never: tuple[str, ...] = ()
    printed_by: tuple[str, ...] = ()
    """The kinds that must give it; all, unless some are named: cutting the graph at
    another place gives another gradient."""

    @property
    def program(self) -> str:
        """The whole program."""
        return f"import torch\nimport torch.nn.functional as F\nfrom torch import nn\n{self.source}"


FIXABLE = msgspec.convert(read_table(Path(__file__).with_suffix(".yaml")), tuple[Fixable, ...])
