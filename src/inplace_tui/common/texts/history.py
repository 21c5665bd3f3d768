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
    dropped = T("{count} older runs had to go.")
    one_dropped = T("One older run had to go.")
    recalled = T(
        "Run {number} again, as it was recorded. {undo} in the editor takes its text back."
    )
    recalled_same = T("Run {number} again, as it was recorded.")
    # The comparison.
    compare = T("Run {before} and run {after}: what changed")
    compare_lead = T("Esc leads back to the runs")
    text = T("Program")
    text_same = T("The text is the same.")
    seeds = T(
        "Each run of this file draws random numbers of its own, unless the program sets a "
        "seed (torch.manual_seed)."
    )
    diverged = T("Where they diverged")
    ended = T("How they ended")
    gradients = T("Gradients")
    output = T("Output")
    tensors = T("Tensors at the end")
    same = T("the same")
    pair = T("{label}:")
    pair_same = T("{label}: the same ({text})")
    alike = T("{count} alike")
    no_gradients = T("none in either")
    no_output = T("none in either")
    no_tensors = T("none in either")
    verdict = T("verdict")
    no_verdict = T("nothing to say")
    message = T("message")
    not_known = T("the gradients are still being checked")
    no_gradient = T("no gradient")
    only_before = T("only in run {number}")
    apart = T("largest difference {far}")
    diverged_nowhere = T("Nowhere: both recordings are alike from their first line to their last.")
    diverged_unknown = T("Not within the first {steps:,} steps; what follows was not compared.")
    diverged_lines = T("Run {one} went on to line {line}, run {other} to line {there}.")
    diverged_end = T("Run {one} went on to line {line}; run {other} was over.")
    place = T("Line {line}")
    place_moved = T("Line {line} (now {there})")
    diverged_raised = T("{place} raised in one of them, or something else.")
    diverged_output = T("{place} wrote something else.")
    diverged_tensor = T("{place} left {name} otherwise: {key}.")
    diverged_only = T("{place}: only one of them has {name}.")
    nothing = T("nothing")
