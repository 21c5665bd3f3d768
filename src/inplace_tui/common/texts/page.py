"""The page of a run: what its controls are called."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class PageTexts:
    """Around the panels, which say what the program's own screen says."""

    what = T("What happened")
    fixes = T("Fixes, each run to its end")
    dark = T("Dark")
    step = T("Step {step} of {count}")
    start = T("Before the first step of {count}")
    controls = T("Steps")
    first = T("Start")
    back = T("Back")
    next = T("Next")
    last = T("End")
    keys = T("Left and Right (or N and n) step, Home and End go to the ends.")
    unlinked = T(
        "Choose a line, a node or a tensor, with a click or with Tab, Up, Down and Enter: what "
        "belongs to it is marked in every panel."
    )
    answer = T("Answer")
    hint = T("Hint")
    show = T("Show the answer")
    left_out = T("The run has {count:,} steps; the last {kept:,} are here.")
    gated = T("A question of this lesson is open: what it hides, and what follows, is not here.")
    still = T(
        "This is the last step. To go through all of them, the page needs JavaScript and a "
        "browser of 2024 or later."
    )
    more = T("… {count:,} more rows: inplace-tui itself shows them all")
    made = T("Recorded by inplace-tui {version}.")
