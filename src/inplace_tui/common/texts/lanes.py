"""What the lanes say."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class LaneTexts:
    """The storage lanes."""

    none = T("No storages yet.")
    legend = T(
        "○ made  ● written  ◆ written, version kept  ! saved, then written  ∅ freed  "
        "─ alive  ━ saved by a node  ╍ saved, stale  ∂ gradient  └ same storage"
    )
    unnamed = T("(unnamed)")
    step = T("step")
    line = T("line")
    at = T("step {step}, line {line}")
    before = T("before the first step")
    made = T("made")
    freed = T("freed")
    write = T("1 write")
    writes = T("{count} writes")
    versions = T("v{before} → v{after}")
    kept = T("{count} without a new version")
    held = T("saved by {count}")
    stale = T("{count} of them stale")
    released = T("no longer saved")
    ahead = T("(ahead) {when}")
    happened = T("{when}: {event}")
    life = T("{name}: ")
    then = T("; ")
    earlier = T("… {count} earlier")
    beside = T("on {letter}")
    most = T("… {count:more storage|more storages}")
    absent = T("not there")
    nothing = T("nothing happened")
    and_ = T(", ")
    closest = T("Every step has all the room it can have.")
    whole = T("The whole run is in sight.")
    zoomed = T("Storages has other columns now; {keys[panel.6]} shows it.")
    gone = T("That tensor is not there at this step; nothing to choose in the table.")
    goto = T("Go where? 123, 50%, :7, model.py:7")
    goto_lead = T("A step, a share of the run, or a line. Enter goes, Esc stays.")
    goto_unknown = T(
        "“{text}” is no place in a run: write 123 for a step, 50% for half way, :7 for line 7."
    )
    help = T(
        "{lanes}: one row per storage, one column per step or per so many steps. A mark is what "
        "happened, a digit after it how often (+ is ten or more) or the version it led to; `∅` is "
        "the end. The strip on top is the whole run: ━ is in sight, ◂ a backward, ✗ a failure, "
        "? a question. What is right of the cursor has not happened yet."
    )
