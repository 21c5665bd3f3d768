"""What the history of runs says."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class HistoryTexts:
    """The history of runs."""

    history = T("Runs of this session")
    lead = T("Enter shows it again · Esc closes")
    none = T("Nothing has run yet. Every run is kept here until you leave.")
    now = T("shown now")
    seconds = T("{seconds} s")
    first = T("the first that is kept")
    same_text = T("the same text")
    changed = T("line {line}: {before} → {after}")
    added = T("line {line} is new: {after}")
    removed = T("gone: {before}")
    blank = T("(blank)")
    more = T(" (+{count})")
    bounds = T("Kept: the last {runs} runs, about {mib} MiB at most.")
    dropped = T("{count:older run|older runs} had to go.")
    recalled = T(
        "Run {number} again, as it was recorded. {undo} in the editor takes its text back."
    )
    recalled_same = T("Run {number} again, as it was recorded.")
