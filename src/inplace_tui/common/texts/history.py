"""What the history of runs says, and the comparison of two of them."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class HistoryTexts:
    """The history of runs, and the comparison of two."""

    # The list.
    history = T("Runs of this session")
    lead = T("Enter shows it again · Space marks two to compare · Esc closes")
    lead_short = T("Enter shows · Space marks · Esc back")
    marked_one = T("{number} marked · mark another · Esc back")
    none = T("Nothing has run yet. Every run is kept here until you leave.")
    now = T("shown now")
    seconds = T("{seconds} s")
    live = T("live")
    live_of = T("live, the last of {count}")
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
    # The comparison.
    compare = T("Run {before} and run {after}: what changed")
    compare_lead = T("Esc returns to the runs")
    run = T("run {number}")
    text = T("The edit")
    text_same = T("The program is the same.")
    file_in = T("loaded in only one of the runs")
    place = T("line {line}")
    place_moved = T("line {line} (line {there} in run {other})")
    first_visit = T("{place}, the first time it ran")
    visit = T("{place}, time {visit}")
    diverged = T("The first difference")
    diverged_nowhere = T("None: both runs did the same from their first line to their last.")
    diverged_drawn = T("Only in numbers: both runs did the same, with different values.")
    diverged_unknown = T("None in the first {steps:,} steps; later ones were not compared.")
    diverged_raised = T("What was raised at {place}:")
    diverged_tensor = T("At {place}: `{name}` came out differently.")
    parted = T("After {place}, they ran different lines:")
    parted_first = T("They ran different lines from the start:")
    over = T("ended here")
    wrote = T("modified it in place: version {before} → {after}")
    wrote_unseen = T("modified it in place, and its version counter did not move")
    made = T("made a new tensor: version {version}")
    left = T("did not modify it: version {version}")
    absent = T("has no tensor of that name")
    same_values = T("Its values are the same.")
    drawn = T(
        "Values differ from {place} on, before any edited line ran. Unless the program sets a "
        "seed (torch.manual_seed), each run draws different random numbers."
    )
    trait = T("{key}: {before} → {after}")
    version = T("in-place changes (version): {before} → {after}")
    apart = T("values differ by up to {far} of the largest element")
    rounding = T("values differ only by rounding")
    ended = T("How they ended")
    not_known = T("the gradients are still being checked")
    why = T(". {why}")
    stopped = T(
        "Line {line} ran {count:time|times} in run {number}, which stopped there, and "
        "{more:time|times} in run {against}."
    )
    gradients = T("Gradients")
    gradients_at = T("Gradients after {place}")
    no_gradients = T("Neither run called backward.")
    no_moment = T(
        "Not compared: no backward ran on the same line, the same time, in both. Run {one} ran "
        "{before:backward|backwards}, run {other} {after:backward|backwards}."
    )
    cut_off = T("Run {number} failed in this backward before it reached {names}.")
    passes_alike = T(
        "The same after every backward that both ran: {count} of the {before} in run {one}, "
        "{count} of the {after} in run {other}."
    )
    passes_before = T("After {count:earlier backward|earlier backwards}, they were the same.")
    gradients_drawn = T("Their values are not compared: each run computed with different numbers.")
    no_gradient = T("no gradient")
    right = T("right")
    wrong = T("wrong")
    output = T("Output")
    same = T("the same")
    no_output = T("none in either")
    alike = T("{count:other|others} the same")
    left_out = T("and {count} more")
    nothing = T("nothing")
