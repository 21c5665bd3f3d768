"""What is said of a tensor that was opened."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class ValueTexts:
    """A tensor that was opened."""

    title = T("Values of {name}")
    mode_values = T("values")
    mode_grad = T("with grad")
    mode_grad_alone = T("grad")
    nothing_odd = T("Every element is finite.")
    one_plane = T("It has no dimensions before the last two to choose from.")
    gone = T("{name} is not there at this step. Step on, or close.")
    hidden = T("▒▒ The values are hidden until the question is answered.")
    question = T("A question waits: close this to answer it.")
    empty = T("empty: shape {shape} has no elements")
    unreadable = T("⊘ {reason}")
    running = T("{count} elements were not all recorded: running the program again to step {step}…")
    ran = T("ran again to step {step}")
    recorded = T("recorded whole")
    sample = T("What was recorded, the first {head} and the last {tail} of {count} elements:")
    differs = T(
        "The program does not repeat itself: run again, this tensor is another at step {step}."
    )
    other_way = T(
        "The program does not repeat itself: run again, it took another way at step {step}."
    )
    ended_before = T("The program does not repeat itself: run again, it ended before step {step}.")
    too_long = T("Run again, it did not come to this step within its {seconds:g} s.")
    no_view = T("Its values need another run, which here could change your files.")
    went = T("The process that was run again has ended. Step, or open it again.")
    # Facts.
    version = T("version {version}")
    storage = T("storage {letter}")
    stride = T("stride {stride}")
    offset = T("offset {offset}")
    contiguous = T("contiguous")
    scattered = T("not contiguous")
    bytes = T("{count:byte|bytes}")
    view_of = T("view of {name}")
    view = T("view")
    # Statistics.
    min = T("min")
    max = T("max")
    mean = T("mean")
    std = T("std")
    norm = T("norm")
    zeros = T("zeros")
    odd = T("! {nan} NaN, {inf} inf, at {places}")
    of_finite = T("statistics of the finite ones")
    absolute = T("statistics of |z|")
    counting = T("statistics {percent} %…")
    counting_soon = T("statistics…")
    changed = T("~ {changed} of {count} changed since step {step}")
    unchanged = T("nothing changed since step {step}")
    not_before = T("{name} is new at this step: there is nothing to compare it with.")
    no_grad = T("{name}.grad is None")
    before_unreadable = T("How it was before can't be read: {reason}")
    # The cell.
    byte = T("byte {byte} of storage {letter}")
    before = T("before {value}")
    grad = T("grad {value}")
    same = T("the same", "ValueTexts.same")
    rows = T("rows {first}–{last} of {count}")
    more_columns = T("… {count:more column|more columns}")
    on = T("`values {place}` goes on there")
    more = T("… {count:more row|more rows}")
    plane = T("{index}  {number}/{count}")
