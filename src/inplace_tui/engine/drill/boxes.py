"""How long it takes until something that was missed comes back.

Right moves it to the next box, and out of the last; wrong, and it starts over.
"""

from __future__ import annotations

BOXES = ((5, 0), (12, 1), (25, 7))
"""Answers, and days, until it comes back: after the miss, after one right answer, two."""


def next_box(box: int | None, *, right: bool, guessed: bool = False) -> int | None:
    """Return the box after an answer, 1 being the first; None where it does not come back.

    `box` is None for what was not missed before. A right guess stays where it is.
    """
    if not right:
        return 1
    if box is None or box + (not guessed) > len(BOXES):
        return None
    return box + (not guessed)
