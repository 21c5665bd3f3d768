"""What the desk says: somebody's own program, from the failure to the mended file."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class DeskTexts:
    """Titles of its boxes, what is in them, and what is answered to its keys."""

    happened = T("What happened")
    lane = T("{tensor}, from its making to the failure")
    lane_unnamed = T("The tensor, from its making to the failure")
    fixes = T("Fixes, each run to its end")
    printed = T("The program's output")
    changed_files = T("What changed")
    # The lane.
    made = T("made", "DeskTexts.made")
    saved = T("saved", "DeskTexts.saved")
    saved_at = T("saved v{version}")
    both = T("{one}, {other}")
    in_graph = T("in the graph")
    freed = T("used up")
    refused = T("refused", "DeskTexts.refused")
    uncounted = T("written, not counted")
    needed = T("needed")
    needed_at = T("needed v{version}")
    needed_again = T("needed again")
    used = T("used as changed")
    # The title and the boxes.
    loading = T("Python and torch are loading. Your program runs as soon as they are there.")
    first_run = T("Your program is running. The line at fault is shown as soon as it fails.")
    nothing_printed = T("No output so far.")
    runs = T("{stage}, run {runs}, {seconds} s")
    ran = T("{runs:run|runs} in {seconds} s")
    ended_early = T("stopped", "DeskTexts.ended_early")
    on_disk = T("Fix written.")
    running_again = T("It is running again …")
    kept = T("The old file is kept as {kept}. {keys[undo]} puts it back.")
    kept_several = T("The old files are kept as {kept}. {keys[undo]} puts them back.")
    # Answers to keys.
    stopped = T("You stopped this run. What was found stays; {keys[rerun]} runs it again.")
    written = T("Fix {number} is on disk. {keys[undo]} takes it back.")
    undone = T("The fix is taken back: your files are as they were.")
    changed = T(
        "{file} changed since this run, so nothing was written. {keys[rerun]} runs it as it is now."
    )
    changed_since = T("{file} changed since the fix, so it was left as it is.")
    edited = T("{file} changed on disk since this run. {keys[rerun]} runs it again.")
    cannot_write = T("{file} can't be written: {why}. Nothing was changed.")
    no_fix = T("There is no fix {key}.")
    no_fixes = T("There is no fix yet: the search is still going on.")
    nothing_to_undo = T("No fix was written here, so there is nothing to undo.")
    not_run = T(
        "Nothing can be run here: {why}. Install torch beside inplace-tui, or have another Python "
        "run it: inplace-tui --python PATH FILE"
    )
    no_lesson = T("There is no lesson about this.")
    page_saved = T("Saved as {path}: open it in a browser.")
    not_yet = T("The program has not been recorded yet.")
