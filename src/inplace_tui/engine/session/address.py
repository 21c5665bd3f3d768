"""A place in a run as people write it: `123`, `50%`, `line 7`, `:7`."""

from __future__ import annotations

import re
import unicodedata

from inplace_tui.engine.session.signals import RunToLine, StepChosen

_STEP = re.compile(r"#?\s*(\d[\d,_ ]*)")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_LINE = re.compile(r"(?:line|l|第|:|行)\s*(\d+)\s*行?", re.IGNORECASE)
_MOST_DIGITS = 12


def address(text: str, *, steps: int) -> StepChosen | RunToLine | None:
    """Return where somebody wants to go; None if that can't be told.

    Args:
        text: a number of a step, counted from 1, where 0 is before the first; a share
            of the run; or a line.
        steps: how many there are to be seen.

    >>> address("50%", steps=200), address("第７行", steps=9), address("soon", steps=9)
    (StepChosen(step=99), RunToLine(line=7), None)
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    if len(plain) > _MOST_DIGITS + len("line "):
        return None
    if found := _SHARE.fullmatch(plain):
        share = min(100.0, float(found[1]))
        return StepChosen(round(share * steps / 100) - 1)
    if found := _LINE.fullmatch(plain):
        return RunToLine(int(found[1]))
    if found := _STEP.fullmatch(plain):
        number = int(re.sub(r"\D", "", found[1]))
        return StepChosen(min(number, steps) - 1)
    return None
