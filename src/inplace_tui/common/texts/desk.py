"""What the desk says: somebody's own program, from the failure to the mended file."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class DeskTexts:
    """Titles of its boxes, and what is answered to its keys."""

    happened = T("What happened")
    fixes = T("Fixes")
    printed = T("The program's output")
    nothing_printed = T("Nothing so far.")
    runs = T("{stage}  run {runs}")
    written = T("Fix {number} is written; the old file is {kept}. {keys[undo]} takes it back.")
    undone = T("The old files are back.")
    changed = T(
        "{file} changed since this run, so it was left as it is. {keys[rerun]} runs it again."
    )
    cannot_write = T("{file} can't be written: {why}")
    no_fix = T("There is no fix {number}.")
    nothing_to_undo = T("No fix was written here.")
    not_run = T("Nothing can be run here: {why}")
