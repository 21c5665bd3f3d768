"""How far the search for the fixes of one run has come."""

from __future__ import annotations

import msgspec

from inplace_tui.engine.fixes.fix import Fix


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """What was tried by now, and what came of it."""

    found: tuple[Fix, ...] = ()
    """The best first; a better one that is found later comes before them."""

    tried: int = 0
    total: int | None = None
    """How many rewrites there are to try; None until the program was looked through."""

    over: bool = False
    cut_short: bool = False
    """The time was over before all were tried."""
